extension Behaviour {
  static let closedForGood = terminal(
    "closed-for-good", covers: ["S4", "S7"], code: 4500,
    sentence: "Closed with a code of those that nobody comes back from, the client stays away.")

  /// The connection is closed with a code that is for good.
  static func terminal(_ name: String, covers: [String], code: Int, sentence: String) -> Behaviour {
    Behaviour(
      name: name, covers: covers, sentence: sentence,
      script: { scene in
        try await scene.seeLogin()
        try await scene.disconnect(code, name)
      },
      expected: [.noAttemptAfterTerminal(quiet: .seconds(5))])
  }
}
