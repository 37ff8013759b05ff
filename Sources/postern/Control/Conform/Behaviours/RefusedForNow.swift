import GatewayKit

extension Behaviour {
  static let refusedForNow = Behaviour(
    name: "refused-for-now", covers: ["R7"],
    sentence: "A refresh that is refused for the time being is tried again after a pause, on the same connection.",
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
