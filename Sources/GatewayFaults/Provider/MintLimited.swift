internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// A token provider with a budget, e.g. 30 tokens a minute for each user. It refuses further requests with 429.
struct MintLimited: ProviderRefusal {
  static let word = "mint_limited"
  static let summary =
    "makes the token provider reject requests above a budget by user, address or all, with 429 or a ban"
  static let members = ["per", "limit", "window_s", "kind", "status", "retry_after", "ban"]
  static let example = #"{"fault": "mint_limited", "per": "user", "limit": 30, "window_s": 60}"#

  private let book: Book

  /// The counts of the budget, and the random generator of its waits.
  ///
  /// `@unchecked Sendable`: used only on the gateway's loop.
  private final class Book: @unchecked Sendable {
    var budgets: RequestBudgets
    var chance = SeededGenerator(seed: 0x6275_6467_6574_2121)

    init(_ budget: RequestBudget) {
      budgets = RequestBudgets([budget])
    }
  }

  init(_ fields: FaultFields) throws(GatewayError) {
    guard let scope = try fields.word("per", RequestBudget.Scope.self) else { throw fields.missing("per") }
    guard let limit = try fields.whole("limit", in: 1...1_000_000_000) else { throw fields.missing("limit") }
    var budget = RequestBudget(scope, limit: Int(limit), window: try Self.window(fields, "window_s"))
    budget.kind = try fields.word("kind") ?? .fixed
    budget.status = try Self.status(fields) ?? 429
    budget.advice = try Self.advice(fields)
    if let ban = try fields.child("ban") {
      try ban.refuseStrangers(["after", "within_s", "for_s", "status"])
      guard let after = try ban.whole("after", in: 1...1_000_000_000) else { throw ban.missing("after") }
      budget.ban = RequestBudget.Ban(
        after: Int(after), within: try Self.window(ban, "within_s"), length: try Self.window(ban, "for_s"),
        status: try Self.status(ban) ?? 403)
    }
    book = Book(budget)
  }

  private static func window(_ fields: FaultFields, _ name: String) throws(GatewayError) -> Duration {
    guard let seconds = try fields.number(name, in: 0.001...2_592_000) else { throw fields.missing(name) }
    return .saturating(seconds: seconds)
  }

  private static func status(_ fields: FaultFields) throws(GatewayError) -> Int? {
    guard let status = try fields.whole("status", in: 400...599).map({ Int($0) }) else { return nil }
    guard RequestBudget.statuses.contains(status) else {
      throw .invalidParameter.detailed("\(fields.path(of: "status")) must be 429 or 403")
    }
    return status
  }

  private static func advice(_ fields: FaultFields) throws(GatewayError) -> RequestBudget.Advice {
    guard let value = fields.value("retry_after") else { return .left }
    let seconds = (value.elements ?? [value]).map { element in
      element.number.flatMap { Int(exactly: $0) }.flatMap { RequestBudget.waits.contains($0) ? $0 : nil }
    }
    switch value.string {
    case "left": return .left
    case "date": return .date
    case "none": return .none
    default:
      let numbers = seconds.compactMap { $0 }
      if value.elements == nil, let seconds = numbers.first { return .seconds(seconds) }
      guard seconds.count == 2, numbers.count == 2, numbers[0] <= numbers[1] else {
        throw .invalidParameter.detailed(
          "\(fields.path(of: "retry_after")) must be left, date, none, whole seconds up to 86400, or the least and the most"
        )
      }
      return .spread(numbers[0]...numbers[1])
    }
  }

  func refuse(user: UserID?, address: Name?, at now: WallTime) throws(TokenRefusal) {
    guard
      let refusal = book.budgets.judge(
        user: user?.name.budgetKey, address: address?.budgetKey, at: Instant(nanoseconds: now.nanoseconds))
    else { return }
    throw TokenRefusal(
      refusal.error, status: refusal.status, retryAfter: RetryAdvice(refusal, share: book.chance.nextShare(), at: now))
  }
}
