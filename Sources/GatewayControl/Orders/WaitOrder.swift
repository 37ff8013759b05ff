/// The order to wait for lines of the journal, `POST /journal/await`.
package struct WaitOrder: ControlOrder {
  package static let form =
    #"{"kind": string, "user"?: string, "connection"?: string, "#
    + #""dialect"?: string, "count"?: 1...1000, "after"?: 0... or string, "within_ms": 0...60000}"#

  package var kind: String
  package var user: String?
  package var connection: String?
  package var dialect: String?
  /// The number of lines; nil for one.
  package var count: Int?
  /// The line after which the wait begins.
  package var after: JournalPlace?
  /// The limit in real time.
  package var withinMs: Int

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case kind
    case user
    case connection
    case dialect
    case count
    case after
    case withinMs = "within_ms"
  }

  package init(
    kind: String, user: String? = nil, connection: String? = nil, dialect: String? = nil,
    count: Int? = nil, after: Int? = nil, withinMs: Int
  ) {
    self.kind = kind
    self.user = user
    self.connection = connection
    self.dialect = dialect
    self.count = count
    self.after = after.map { JournalPlace($0) }
    self.withinMs = withinMs
  }
}
