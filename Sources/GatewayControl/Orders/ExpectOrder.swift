/// The order to check a client against an expectation by the journal, `POST /journal/expect`.
package struct ExpectOrder: ControlOrder {
  package static let form =
    #"{"expect": string, "user"?: string, "dialect"?: string, "after"?: 0... or string, and what the expectation takes}"#

  package var expect: String
  package var user: String?
  package var dialect: String?
  package var after: JournalPlace?
  /// The kind of line at which a wait begins.
  package var since: String?
  package var attempt: String?
  /// The late times of the machine; nil to use the gateway's own measurements.
  package var late: [Late]?
  package var atLeastMs: Int?
  package var atMost: Int?
  package var quietMs: Int?
  package var withinMs: Int?
  package var newToken: Bool?
  package var perConnection: Bool?

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case expect
    case user
    case dialect
    case after
    case since
    case attempt
    case late
    case atLeastMs = "at_least_ms"
    case atMost = "at_most"
    case quietMs = "quiet_ms"
    case withinMs = "within_ms"
    case newToken = "new_token"
    case perConnection = "per_connection"
  }

  package init(
    expect: String, user: String? = nil, dialect: String? = nil, after: Int? = nil,
    since: String? = nil, attempt: String? = nil, late: [Late]? = nil, atLeastMs: Int? = nil,
    atMost: Int? = nil, quietMs: Int? = nil, withinMs: Int? = nil, newToken: Bool? = nil, perConnection: Bool? = nil
  ) {
    self.expect = expect
    self.user = user
    self.dialect = dialect
    self.after = after.map { JournalPlace($0) }
    self.since = since
    self.attempt = attempt
    self.late = late
    self.atLeastMs = atLeastMs
    self.atMost = atMost
    self.quietMs = quietMs
    self.withinMs = withinMs
    self.newToken = newToken
    self.perConnection = perConnection
  }

  /// A span of the journal's `real_ms`, with the time in it that the machine was late by.
  package struct Late: Codable, Sendable {
    package var fromMs: Int
    package var toMs: Int
    package var lostMs: Int

    private enum CodingKeys: String, CodingKey {
      case fromMs = "from_ms"
      case toMs = "to_ms"
      case lostMs = "lost_ms"
    }

    package init(fromMs: Int, toMs: Int, lostMs: Int) {
      (self.fromMs, self.toMs, self.lostMs) = (fromMs, toMs, lostMs)
    }
  }
}
