package import GatewayCore

// Tokens that reach a session by another way than its connection.

extension Connection {
  /// Has the session judge a token as if its client had sent it. `answer` gets the error, or nil if the token is accepted.
  /// Only on the loop.
  nonisolated func present(_ token: Credentials, _ answer: @escaping @Sendable (GatewayError?) -> Void) {
    onLoop { connection in
      guard connection.standing.grant != nil, let conversation = connection.conversation else {
        return answer(.connectionRequired)
      }
      let expected = conversation.expect(token) { error in
        // Others than its client may show it a token.
        if error != nil { self.onLoop { $0.forgetRefusals() } }
        answer(error)
      }
      guard let request = expected else { return }
      connection.handle(.received(.credentials(token, request: request)))
    }
  }
}

extension Gateway {
  package func present(_ token: Credentials, to sessions: SessionFilter) async -> [GatewayError?] {
    var verdicts: [GatewayError?] = []
    for table in tables where sessions.mayTakeIn(loop: table.loop.index) {
      let meant = await table.perform { $0.connections(in: sessions) }
      for connection in meant {
        let verdict: GatewayError? = await withCheckedContinuation { waiter in
          table.loop.execute { connection.present(token) { waiter.resume(returning: $0) } }
        }
        verdicts.append(verdict)
      }
    }
    return verdicts
  }
}
