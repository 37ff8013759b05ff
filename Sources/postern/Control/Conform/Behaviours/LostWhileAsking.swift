import GatewayKit

extension Behaviour {
  static let lostWhileAsking = Behaviour(
    name: "lost-while-asking", covers: ["R9", "R10"],
    sentence:
      "The client comes back, with one call of the provider at a time, if it loses its connection while it asks the provider.",
    timed: Timed(expected: backAlone),
    script: { scene in
      let first = try await scene.seeLogin()
      try await scene.fail("mint_slowly", [JSONMember("by_ms", json: "2000")])
      try await scene.expire()
      try await scene.see(
        "provider_asked", after: first, or: "the client did not ask its provider for a token")
      try await scene.disconnect(1012, "restart")
    },
    expected: backAlone, patience: .seconds(25))

  private static let backAlone: [Demand] = [.comesBack(within: .seconds(20)), .singleFlight]
}
