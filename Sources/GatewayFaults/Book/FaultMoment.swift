internal import GatewayCore
package import GatewayRuntime

/// The moment at which a fault befalls: from the second occurrence on, after a refresh was asked for, say. What says
/// nothing is now.
package struct FaultMoment: Hashable, Sendable {
  /// Not before so long has passed, in the time of sessions.
  package var delay: Duration?
  /// Only who has lived through such an event since the order.
  package var event: JournalKind?
  /// Not before its n-th occurrence, from 1.
  package var occurrence = 1

  package init() {}

  static let members = ["at", "at_s", "after", "nth"]

  /// A word that `at` may say, beside which nothing is needed: `now`, for instance.
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
