import GatewayCore
import GatewayJSON
import GatewayWires

// The budgets of a scenario's provider.

extension RequestBudget {
  private static let keys = ["per", "limit", "window_s", "kind", "of", "status", "retry_after", "ban"]
  private static let banKeys = ["after", "within_s", "for_s", "status"]

  /// Reads a list of budgets.
  static func all(_ described: Described) throws -> [RequestBudget] {
    let elements = try described.elements()
    guard elements.count <= countMax else { throw described.error("more than \(countMax) budgets") }
    return try elements.map { try RequestBudget($0) }
  }

  private init(_ described: Described) throws {
    let budget = try described.object(Self.keys)
    let scope = try budget.required("per", example: "\"user\"").choice("sharer of a budget", Scope.self)
    self.init(
      scope, limit: try budget.required("limit", example: "30").integer(in: Self.limits),
      window: try Self.window(budget, "window_s", example: "60"))
    try budget["kind"].map { kind = try $0.choice("kind of window", Kind.self) }
    try budget["of"].map { purpose = try $0.choice("kind of request", Purpose.self) }
    try budget["status"].map { status = try Self.status($0) }
    try budget["retry_after"].map { advice = try Self.advice($0) }
    if let ban = try budget["ban"]?.object(Self.banKeys) {
      self.ban = Ban(
        after: try ban.required("after", example: "500").integer(in: Self.limits),
        within: try Self.window(ban, "within_s", example: "60"), length: try Self.window(ban, "for_s", example: "900"),
        status: try ban["status"].map { try Self.status($0) } ?? 403)
    }
  }

  private static func window(_ object: DescribedObject, _ key: String, example: String) throws -> Duration {
    .nanoseconds(
      Int64(try object.required(key, example: example).number(in: 0.001...SimulateScenario.secondsMax) * 1e9))
  }

  private static func status(_ described: Described) throws -> Int {
    let status = try described.integer(in: 400...599)
    guard statuses.contains(status) else {
      throw described.error("a budget answers 429 or 403, not \(status): clients take other statuses for other things")
    }
    return status
  }

  private static func advice(_ described: Described) throws -> Advice {
    switch described.value.kind {
    case .string:
      return try described.choice("Retry-After", AdviceWord.self).advice
    case .array:
      let parts = try described.elements()
      guard parts.count == 2 else { throw described.error("expected the least and the most number of seconds") }
      let (least, most) = (try parts[0].integer(in: waits), try parts[1].integer(in: waits))
      guard least <= most else { throw described.error("the least is above the most") }
      return .spread(least...most)
    case .number:
      return .seconds(try described.integer(in: waits))
    default:
      throw described.error("expected left, date, none, a number of seconds, or the least and the most")
    }
  }

  private enum AdviceWord: String, CaseIterable {
    case left
    case date
    case none

    var advice: Advice {
      switch self {
      case .left: .left
      case .date: .date
      case .none: .none
      }
    }
  }
}
