import GatewayKit

extension Behaviour {
  static let lostWhileAsking = Behaviour(
    name: "lost-while-asking", covers: ["R9", "R10"],
    sentence:
      "The client comes back, with one call of the provider at a time, if it loses its connection while it asks the provider.",
    // A client that renews on a timer may come back with a token that has ended, and ask anew for the new connection.
    timed: Timed(expected: [.comesBack(within: .seconds(20)), .singleFlightPerConnection]),
    script: { scene in
      let first = try await scene.seeLogin()
      try await scene.fail("mint_slowly", [JSONMember("by_ms", json: "2000")])
      let asked = try await scene.expireUntilAsked(after: first)
      try await scene.disconnect(1012, "restart")
      // A client that renews by coming back has lost its connection before it asks.
      let lost = try await scene.line("closed", after: first, within: .seconds(15))
      let minted = try await scene.line("provider_minted", after: asked, within: .zero)
      guard let lost, minted.map({ $0 > lost }) ?? true else {
        throw ConformEnd(
          verdict: .undecided,
          sentence: "the machine was slow: the connection was not lost before the provider had answered")
      }
    },
    expected: [.comesBack(within: .seconds(20)), .singleFlight], patience: .seconds(25))
}
