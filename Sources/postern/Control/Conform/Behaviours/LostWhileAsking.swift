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
      let lostBefore = scene.clock.lost
      try await scene.disconnect(1012, "restart")
      // A client that renews by coming back has lost its connection before it asks.
      let lost = try await scene.line("closed", after: first, within: .seconds(15))
      let minted = try await scene.line("provider_minted", after: asked, within: .zero)
      guard let lost, minted.map({ $0 > lost }) ?? true else {
        throw ConformEnd(
          verdict: .undecided,
          sentence: "the machine was slow: the connection was not lost before the provider had answered")
      }
      try await scene.seeReturn(after: lost, slowSince: lostBefore)
    },
    expected: [.comesBack(within: .seconds(20)), .singleFlight], patience: .seconds(25))
}

extension ConformScene {
  /// What a client does that has come back.
  private static let returns = ["login_refused", "upgrade_refused", "provider_asked", "logged_in"]
  /// The lost time that keeps a client from coming back before its provider answers.
  private static let slowness = Duration.milliseconds(500)

  /// Waits for the provider's answer. Throws if a slow machine kept the client from coming back before it, because only a client
  /// that has come back shows whether it asks twice at once.
  fileprivate func seeReturn(after lost: Int, slowSince before: Duration) async throws {
    guard let answered = try await line("provider_minted", after: lost, within: .seconds(15)) else { return }
    guard clock.lost - before >= Self.slowness else { return }
    for kind in Self.returns {
      if let line = try await line(kind, after: lost, within: .zero), line < answered { return }
    }
    throw ConformEnd(
      verdict: .undecided,
      sentence: "the machine was slow: the client did not come back before the provider had answered")
  }
}
