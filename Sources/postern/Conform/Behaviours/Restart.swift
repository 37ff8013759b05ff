extension Behaviour {
  static let restart = returning(
    "restart", covers: ["X4", "X10", "R12"], code: 1012,
    sentence:
      "Closed with 1012, as by a gateway that restarts, the client comes back each time, after waits that differ by chance."
  )

  /// The connection is closed ten times, with the same code, and each time when the client is back.
  static func returning(_ name: String, covers: [String], code: Int, sentence: String) -> Behaviour {
    returning(name, covers: covers, sentence: sentence) { scene in try await scene.disconnect(code, name) }
  }

  /// Returns the behaviour of ten ends of the connection, each when the client is back and has had a moment for its work
  /// then, e.g. to join its call again. A client that is cut off in the midst of that has not returned yet.
  static func returning(
    _ name: String, covers: [String], sentence: String, end: @escaping @Sendable (ConformScene) async throws -> Void
  ) -> Behaviour {
    Behaviour(
      name: name, covers: covers, sentence: sentence,
      script: { scene in
        var last = try await scene.seeLogin()
        for _ in 0..<10 {
          try await scene.pass(.milliseconds(500))
          try await end(scene)
          last = try await scene.see(
            "logged_in", after: last, within: .seconds(20), or: "the client did not come back within 20 s")
        }
      },
      expected: [.comesBack(within: .seconds(20)), .backoffHasJitter], bound: .seconds(200))
  }
}
