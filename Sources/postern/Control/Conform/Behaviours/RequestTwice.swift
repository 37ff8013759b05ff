import GatewayKit

extension Behaviour {
  static let requestTwice = Behaviour(
    name: "request-twice", covers: ["R4"],
    sentence: "The client answers a refresh request that comes twice once, with one new token.",
    settings: impatient,
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("duplicate", [JSONMember("what", "request:refresh")], times: 1)
      try await scene.expire()
      try await scene.see("refreshed", or: "the client was not refreshed within 15 s")
      try await scene.pass(.seconds(1))
    },
    expected: [.oneProviderCallPerExpiry, .singleFlight, .keepsConnection])
}
