import GatewayKit

extension Behaviour {
  static let lostWhileAsking = Behaviour(
    name: "lost-while-asking", covers: ["R9", "R10"],
    sentence:
      "A client that loses its connection while its provider is asked comes back, and has one call under way at a time.",
    settings: [JSONMember("provider-latency", "2s")],
    script: { scene in
      let first = try await scene.seeLogin()
      try await scene.expire()
      try await scene.see(
        "provider_asked", after: first, or: "the client did not ask its provider for a token")
      try await scene.disconnect(1012, "restart")
    },
    expected: [.comesBack(within: .seconds(20)), .singleFlight], patience: .seconds(25))
}
