import GatewayCore

extension Behaviour {
  static let restart = returning(
    "restart", covers: ["X4", "X10", "R12"], code: 1012,
    sentence:
      "The client comes back after each close with 1012, as of a restarting gateway, after waits with jitter."
  )

  /// Returns a behaviour in which the gateway closes the connection ten times with the same code, each time after the client
  /// has reconnected.
  static func returning(_ name: String, covers: [String], code: UInt16, sentence: String) -> Behaviour {
    returning(name, covers: covers, sentence: sentence, meanings: [.close(code, .retry)]) { scene in
      try await scene.disconnect(code, name)
    }
  }

  /// Returns a behaviour in which `end` ends the connection ten times, each time 0.5 s after the client has logged in. In
  /// that time the client can restore its state, e.g. request its call again; a client cut off before that has not fully
  /// returned.
  static func returning(
    _ name: String, covers: [String], sentence: String, meanings: [EndMeaning] = [],
    end: @escaping @Sendable (ConformScene) async throws -> Void
  ) -> Behaviour {
    Behaviour(
      name: name, covers: covers, sentence: sentence, meanings: meanings,
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
