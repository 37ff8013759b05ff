package import GatewayCore

// Revocations: on every loop, and in the store.

extension Gateway {
  /// Keeps a revocation, has every loop remember it, and tells the live sessions it takes in. Returns how many those are.
  /// Throws `GatewayError.tooMany`, with nothing done, if as many are remembered as may be.
  ///
  /// - Parameters:
  ///   - target: The tokens that it covers.
  ///   - isEnding: Whether the sessions are closed with 4004, whatever the session policy says.
  package func revoke(_ target: Revocations.Target, isEnding: Bool = false) async throws(GatewayError) -> Int {
    let full = GatewayError.tooMany.detailed(
      "\(configuration.revocationsMax) revocations are remembered; revoke a user's tokens, or all, in place of single ones"
    )
    if let keeper {
      let now = await tables[0].perform { $0.loop.wallTime }
      do throws(GatewayError) {
        try await keeper.keep(target, isEnding: isEnding, at: now)
      } catch {
        throw error.isSame(as: full) ? full : error
      }
    }
    var sum = 0
    for table in tables {
      // Every loop is told of every revocation, so all are full or none; two orders at once may find room on one alone,
      // and then what has been done stays done.
      guard let count = await table.perform({ $0.revoke(target, isEnding: isEnding) }) else { throw full }
      sum += count
    }
    return sum
  }

  /// Gives an operator's event to every session whose token the target covers, and revokes nothing. Returns how many those are.
  package func control(_ target: Revocations.Target, _ event: SessionEvent) async -> Int {
    var sum = 0
    for table in tables {
      sum += await table.perform { table in
        let covered = table.connections(coveredBy: target)
        LoopTable.inSlices(covered, on: table.loop) { $0.control(event) }
        return covered.count
      }
    }
    return sum
  }

  /// Writes into the journal, where there is one, that a signal came from outside, or why it was refused. Only on the first
  /// loop.
  package func journal(signal: String, failure: String? = nil, of user: UserID? = nil) {
    tables[0].journal?.write(signal: signal, failure: failure, of: user)
  }

  /// Has every loop remember what was revoked, and let expire, in an earlier life. Before anything listens.
  package func remember(_ kept: KeptRevocations) async {
    for table in tables { await table.perform { $0.remember(kept) } }
  }

  /// Has every loop take up what other processes revoked, and let expire. What it knows already is not done again.
  package func learn(_ kept: KeptRevocations) async {
    for table in tables { await table.perform { $0.learn(kept) } }
  }

  /// How many revocations are remembered, of single tokens, of users and of sessions at the login.
  package func revocationCounts() async -> [String: UInt64] {
    await tables[0].perform { table in
      let revocations = table.revocations
      return [
        "token": UInt64(revocations.tokenCount), "user": UInt64(revocations.userCount),
        "session": UInt64(revocations.sessionCount),
      ]
    }
  }
}
