package import GatewayCore

extension Journal {
  /// A choice of records. A property that is nil or empty restricts nothing.
  package struct Query: Hashable, Sendable {
    /// The number of the last that is known already.
    package var after: UInt64
    package var user: UserID?
    package var kinds: [JournalKind]
    package var connection: ConnectionID?
    /// The number of the wire format that the connection speaks, or the request over HTTP.
    package var dialect: UInt8?
    /// The maximum number of lines in one answer.
    package var limit: Int
    /// Whether what may be seen of messages is wanted too.
    package var hasPayloads = false

    package init(
      after: UInt64 = 0, user: UserID? = nil, kinds: [JournalKind] = [], connection: ConnectionID? = nil,
      limit: Int = 1_000
    ) {
      self.after = after
      self.user = user
      self.kinds = kinds
      self.connection = connection
      self.limit = limit
    }

    /// Returns whether the record matches, whichever user it names.
    func takesIn(_ record: JournalRecord) -> Bool {
      (connection.map { $0 == record.connection } ?? true) && (dialect.map { $0 == record.dialect } ?? true)
        && (kinds.isEmpty || kinds.contains(record.event.kind))
    }
  }
}

/// A page of the journal: lines, and where to continue.
package struct JournalPage: Hashable, Sendable {
  package var lines: [JournalLine] = []
  /// The number of records after the last known one that have been overwritten, of any user.
  package var missed: UInt64 = 0
  /// The value of `after` for the lines that follow these.
  package var next: UInt64
}
