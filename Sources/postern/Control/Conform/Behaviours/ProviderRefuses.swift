import GatewayKit

extension Behaviour {
  static let providerRefuses = Behaviour(
    name: "provider-refuses", covers: ["P2", "R13"],
    sentence: "The client stops asking a provider that always answers 401.",
    settings: impatient, timed: Timed(expected: stopsAsking),
    script: { scene in
      let first = try await scene.seeLogin()
      try await scene.fail("mint_refused", [JSONMember("status", json: "401")])
      try await scene.expire()
      try await scene.see(
        "provider_failed", after: first, or: "the client did not ask its provider for a token")
    },
    expected: stopsAsking, patience: .seconds(40), bound: .seconds(90))

  private static let stopsAsking: [Demand] = [
    .stopsAfter(6, "provider", quiet: .seconds(10)), .stopsAfter(4, quiet: .seconds(10)), .singleFlight,
  ]
}
