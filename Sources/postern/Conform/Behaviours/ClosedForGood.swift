import GatewayKit

extension Behaviour {
  private static let ownDialect = "plain"

  static let closedForGood = terminal(
    "closed-for-good", covers: ["S4", "S7"], code: 4500, elsewhere: 1000,
    sentence: "Closed with a code of those that nobody comes back from, the client stays away.")

  /// Returns the behaviour of a close with a code that is for good. Codes of its own have their meaning in this gateway's
  /// own wire only: clients of others are closed with the code in `elsewhere`.
  static func terminal(
    _ name: String, covers: [String], code: Int, elsewhere: Int? = nil, sentence: String
  ) -> Behaviour {
    Behaviour(
      name: name, covers: covers, sentence: sentence, needs: .terminalClose,
      script: { scene in
        try await scene.seeLogin()
        try await scene.disconnect(scene.dialect == Self.ownDialect ? code : elsewhere ?? code, name)
      },
      expected: [.noAttemptAfterTerminal(quiet: .seconds(5))])
  }
}
