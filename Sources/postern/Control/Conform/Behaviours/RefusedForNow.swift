import GatewayKit

extension Behaviour {
  static let refusedForNow = Behaviour(
    name: "refused-for-now", covers: ["R7"],
    sentence: "The client tries a refresh again after a pause, on the same connection, if it was refused for now.",
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("refuse_for_now", [JSONMember("of", "refresh")], times: 2)
      try await scene.expire()
      try await scene.see(
        "refreshed", within: .seconds(40), or: "the client did not try again, though it was to come back later")
    },
    expected: [.waitsAtLeast(.milliseconds(50), since: "refresh_refused"), .keepsConnection, .singleFlight],
    bound: .seconds(90))
}
