import GatewayKit

extension Behaviour {
  static let slowLine = Behaviour(
    name: "slow-line", covers: ["T7"],
    sentence: "The client refreshes also on a line on which every message takes half a second.",
    settings: impatient,
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("delay", [JSONMember("what", "any:out"), JSONMember("by_ms", json: "500")])
      for count in 1...2 {
        try await scene.expire()
        try await scene.see("refreshed", count: count, or: "the client was not refreshed within 15 s")
        try await scene.pass(.seconds(1))
      }
    },
    expected: [.refreshedInTime, .keepsConnection, .oneProviderCallPerExpiry, .singleFlight])
}
