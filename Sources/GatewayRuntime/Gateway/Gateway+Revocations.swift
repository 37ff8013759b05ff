package import GatewayCore

// Revocations: on every loop, and in the store.

extension Gateway {
  /// Stores a revocation, sends it to every loop of every node, and notifies the live sessions that it covers. Returns
  /// those sessions. Throws `GatewayError.tooMany`, with nothing changed, if the table of revocations is full.
  ///
  /// - Parameters:
  ///   - target: The tokens that it covers.
  ///   - isEnding: Whether the sessions are closed with 4004, whatever the session policy says.
  package func reach(revoking target: Revocations.Target, isEnding: Bool = false) async throws(GatewayError) -> Reached
  {
    let full = full
    if let keeper {
      let now = await tables[0].perform { $0.loop.wallTime }
      do throws(GatewayError) {
        try await keeper.keep(target, isEnding: isEnding, at: now)
      } catch {
        throw error.isSame(as: full) ? full : error
      }
    }
    return try await everywhere(.revoke(target, isEnding: isEnding), isForAll: true) { () async throws(GatewayError) in
      try await self.revokeHere(target, isEnding: isEnding)
    }
  }

  /// The number of sessions that ``reach(revoking:isEnding:)`` reaches.
  package func revoke(_ target: Revocations.Target, isEnding: Bool = false) async throws(GatewayError) -> Int {
    try await reach(revoking: target, isEnding: isEnding).sessions
  }

  /// The error for a full table of revocations.
  private var full: GatewayError {
    GatewayError.tooMany.detailed(
      "\(configuration.revocationsMax) revocations are remembered; revoke a user's tokens, or all, in place of single ones"
    )
  }

  /// Sends the revocation to every loop of this process, and notifies the live sessions that it covers.
  func revokeHere(_ target: Revocations.Target, isEnding: Bool) async throws(GatewayError) -> Int {
    var sum = 0
    for table in tables {
      // Every loop gets every revocation, so all tables are full or none. Two orders at once may find room on one loop
      // only; what was done then stays.
      guard let count = await table.perform({ $0.revoke(target, isEnding: isEnding) }) else { throw full }
      sum += count
    }
    return sum
  }

  /// Sends an operator's order to every session of every node whose token the target covers, and revokes nothing.
  /// Returns those sessions.
  package func reach(_ target: Revocations.Target, _ order: SessionOrder) async throws(GatewayError) -> Reached {
    try await everywhere(.covered(target, order), isForAll: true) { () async throws(GatewayError) in
      await self.controlHere(target, order.event)
    }
  }

  /// Sends an event to every session of this process whose token the target covers.
  func controlHere(_ target: Revocations.Target, _ event: SessionEvent) async -> Int {
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
  package func journal(signal: String, failure: String? = nil, of user: UserID? = nil, isPlayed: Bool = false) {
    tables[0].journal?.write(signal: signal, failure: failure, of: user, isPlayed: isPlayed)
  }

  /// Has every loop remember what was revoked, and let expire, in an earlier life. Before anything listens.
  package func remember(_ kept: KeptRevocations) async {
    for table in tables { await table.perform { $0.remember(kept) } }
  }

  /// Tells every loop the revocations and expiries of other processes. It skips the ones that it knows already.
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
