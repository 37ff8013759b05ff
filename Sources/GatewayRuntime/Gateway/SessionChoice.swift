package import GatewayCore

/// The sessions that a list shows.
package struct SessionChoice: Hashable, Sendable {
  /// This user's only.
  package var user: UserID?
  /// The dialect of the sessions; nil for any.
  package var dialect: String?
  /// The earliest end of their tokens; nil for any.
  package var from: WallTime?
  /// The time before which their tokens end; nil for any.
  package var before: WallTime?

  package init(user: UserID? = nil, dialect: String? = nil, from: WallTime? = nil, before: WallTime? = nil) {
    self.user = user
    self.dialect = dialect
    self.from = from
    self.before = before
  }
}

extension Gateway {
  /// At most `limit` sessions in the order of their names, after `last` if that is given, of `user` only if that is.
  package func sessions(of user: UserID?, after last: ConnectionID?, limit: Int) async -> [SessionSummary] {
    await sessions(SessionChoice(user: user), after: last, limit: limit)
  }

  /// Returns at most `limit` sessions that match `choice`, in the order of their names, after `last` if that is given.
  package func sessions(_ choice: SessionChoice, after last: ConnectionID?, limit: Int) async -> [SessionSummary] {
    var summaries: [SessionSummary] = []
    // The sessions of nodes with smaller numbers come before its own.
    let node = configuration.life.node
    let first = last.map { $0.node == node ? $0.loop : $0.node < node ? 0 : tables.count } ?? 0
    for table in tables[min(first, tables.count)...] where summaries.count < limit {
      let wanted = limit - summaries.count
      summaries += await table.perform { $0.summaries(of: choice, after: last, limit: wanted) }
    }
    return summaries
  }

  /// Returns whether a session of `user` lives by the token of that fingerprint.
  package func hasSession(of user: UserID, by fingerprint: TokenFingerprint) async -> Bool {
    for table in tables {
      let isHere = await table.perform { table in
        table.connections(of: user).contains { $0.summary.fingerprint == fingerprint }
      }
      if isHere { return true }
    }
    return false
  }

  /// Returns one session; nil if none has that name.
  package func session(_ id: ConnectionID) async -> SessionSummary? {
    await table(of: id)?.perform { $0.connection(id)?.summary } ?? nil
  }
}

extension LoopTable {
  /// Returns at most `limit` of the loop's sessions that match `choice`, after `last`. Only on the loop.
  func summaries(of choice: SessionChoice, after last: ConnectionID?, limit: Int) -> [SessionSummary] {
    let (now, wall) = (loop.now, loop.wallTime)
    let (from, before) = (choice.from.map { now + ($0 - wall) }, choice.before.map { now + ($0 - wall) })
    let dialect = choice.dialect.map { Name($0) }
    let connections = choice.user.map { self.connections(of: $0) } ?? inOrder
    var chosen: [SessionSummary] = []
    for connection in connections where chosen.count < limit && last.map({ connection.id > $0 }) ?? true {
      if let dialect, Name(connection.dialect.name) != dialect { continue }
      if from != nil || before != nil {
        guard let expiry = connection.expiry, from.map({ expiry >= $0 }) ?? true, before.map({ expiry < $0 }) ?? true
        else { continue }
      }
      chosen.append(connection.summary)
    }
    return chosen
  }
}
