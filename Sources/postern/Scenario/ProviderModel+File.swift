import GatewayCore
import GatewayJSON
import GatewayPlanner
import GatewayWires

extension ProviderModel {
  /// The keys. A key with a flag of the gateway, `--provider-…`, has the flag's name.
  static let keys = [
    "rate", "concurrency", "latency_ms", "queue_max", "abandoned", "order", "failure_rate", "pauses", "warmup",
    "retry_after", "budgets", "refusal_ms", "rotation", "replies_lost",
  ]
  /// The names that keys had in the last version.
  static let formerKeys = ["concurrency": "places", "queue_max": "queue", "failure_rate": "failures"]

  /// Reads the provider of a scenario.
  init(_ described: Described) throws {
    let provider = try described.object(Self.keys, former: Self.formerKeys)
    self.init(try Self.capacity(provider))
    try provider["queue_max", former: Self.formerKeys].map { queue = try $0.integer(in: 0...100_000_000) }
    try provider["abandoned"].map { abandoned = try $0.choice("way with abandoned requests", Abandoned.self) }
    try provider["order"].map { order = try $0.choice("order", Order.self) }
    try provider["failure_rate", former: Self.formerKeys].map { failures = try $0.number(in: 0...1) }
    try provider["retry_after"].map { advice = try Self.advice($0) }
    if let budgets = provider["budgets"] { self.budgets = try RequestBudget.all(budgets) }
    try provider["refusal_ms"].map { refusalTime = .nanoseconds(Int64(try $0.number(in: 0...60_000) * 1e6)) }
    rotation = try provider["rotation"].map { try RotationPolicy($0) }
    try provider["replies_lost"].map { repliesLost = try $0.number(in: 0...1) }
    if let pauses = provider["pauses"] { self.pauses = try Self.pauses(pauses) }
    if let warm = try provider["warmup"]?.object(["from", "for_s"]) {
      warmUp = WarmUp(
        from: try warm.required("from", example: "0.2").number(in: 0.001...1),
        length: try warm.required("for_s", example: "60").seconds())
    }
  }

  private static func capacity(_ provider: DescribedObject) throws -> Capacity {
    if let rate = provider["rate"] {
      for other in ["concurrency", "latency_ms"] {
        if let other = provider[other, former: formerKeys] {
          throw other.error("a provider has a \"rate\", or \"concurrency\" and \"latency_ms\"; remove one")
        }
      }
      return .rate(try rate.number(in: 0.001...1e9))
    }
    guard let places = provider["concurrency", former: formerKeys] else {
      if let latency = provider["latency_ms"] {
        throw latency.error("needs \"concurrency\": how many tokens are made at once")
      }
      return .unbounded
    }
    let latency = try provider.required("latency_ms", example: "50").milliseconds(upTo: 600_000)
    guard latency.upperBound > .zero else { return .unbounded }
    return .places(try places.integer(in: 1...10_000_000), latency: latency)
  }

  /// The values of a `Retry-After` that is no number.
  private enum AdviceWord: String, CaseIterable {
    case queue
    case none
  }

  private static func advice(_ described: Described) throws -> Advice {
    switch described.value.kind {
    case .string:
      return try described.choice("Retry-After", AdviceWord.self) == .none ? .none : .queue
    case .number:
      let wait = Duration.saturating(seconds: try described.number(in: 0...86_400))
      return .between(wait...wait)
    case .array:
      let parts = try described.elements()
      guard parts.count == 2 else { throw described.error("expected the least and the most number of seconds") }
      let (least, most) = (try parts[0].number(in: 0...86_400), try parts[1].number(in: 0...86_400))
      guard least <= most else { throw described.error("the least is above the most") }
      return .between(.saturating(seconds: least)...(.saturating(seconds: most)))
    default:
      throw described.error("expected queue, none, a number of seconds, or the least and the most")
    }
  }

  private static func pauses(_ described: Described) throws -> [Pause] {
    let elements = try described.elements()
    guard elements.count <= 100 else { throw described.error("more than 100 pauses") }
    var pauses: [Pause] = []
    for element in elements {
      let pause = try element.object(["at_s", "for_s", "refuses"])
      let next = Pause(
        at: try pause.required("at_s", example: "600").seconds(),
        length: try pause.required("for_s", example: "120").seconds(from: 0.001),
        refuses: try pause["refuses"]?.bool() ?? false)
      if let last = pauses.last, next.at < last.at + last.length {
        throw element.error("begins before the one ahead of it is over")
      }
      pauses.append(next)
    }
    return pauses
  }
}
