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

extension LoopTable {
  /// Returns at most `limit` of the loop's sessions that `choice` takes in, after `last`. Only on the loop.
  func summaries(of choice: SessionChoice, after last: ConnectionID?, limit: Int) -> [SessionSummary] {
    let (now, wall) = (loop.now, loop.wallTime)
    let (from, before) = (choice.from.map { now + ($0 - wall) }, choice.before.map { now + ($0 - wall) })
    let dialect = choice.dialect.map { Name($0) }
    let connections = choice.user.map { self.connections(of: $0) } ?? inOrder
    var chosen: [SessionSummary] = []
    for connection in connections where chosen.count < limit && connection.id.rawValue > last?.rawValue ?? 0 {
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
