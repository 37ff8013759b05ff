internal import GatewayCore
package import GatewayRuntime

/// The moment at which a fault begins to take effect, e.g. from the second occurrence on. An empty moment is now.
package struct FaultMoment: Hashable, Sendable {
  /// The delay of its beginning, in the time of sessions.
  package var delay: Duration?
  /// The event that a user or connection must have had since the order.
  package var event: JournalKind?
  /// The first occurrence that is affected, from 1.
  package var occurrence = 1

  package init() {}

  static let members = ["at", "at_s", "after", "nth"]

  /// A word of `at`. Both words mean the default.
  enum Word: String, CaseIterable {
    case now, next
  }

  init(_ fields: FaultFields) throws(GatewayError) {
    try fields.refuseStrangers(Self.members)
    _ = try fields.word("at", Word.self)
    delay = try fields.seconds("at_s")
    event = try fields.word("after")
    occurrence = Int(try fields.whole("nth", in: 1...1_000_000) ?? 1)
  }
}
