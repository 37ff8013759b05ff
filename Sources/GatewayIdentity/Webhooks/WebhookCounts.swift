internal import GatewayCore
internal import GatewayRuntime

/// The counts of webhooks, by vendor.
struct WebhookCounts: Sendable {
  /// The outcome of a webhook, or of one of its attempts.
  enum Result: String, Hashable, Sendable, CaseIterable {
    case delivered
    /// An attempt failed, and another follows.
    case repeated
    /// The last attempt failed.
    case failed
    /// It was the oldest as too many waited.
    case dropped
    /// Its address is not one that the operator allows.
    case notAllowed = "not_allowed"
    /// The process ended before it was delivered, and the store does not have it.
    case unsent
    /// The process ended before it was delivered, and the store has it for the next process.
    case kept
    /// It came from a process that has ended.
    case takenOver = "taken_over"
  }

  private var vendors: [(name: String, counts: [Result: UInt64])] = []

  /// The vendors that may send webhooks.
  var names: [String] { vendors.map(\.name) }

  mutating func open(_ vendor: String) {
    guard !vendors.contains(where: { Name($0.name) == Name(vendor) }) else { return }
    vendors.append((vendor, [:]))
  }

  mutating func count(_ result: Result, of vendor: String, _ number: UInt64 = 1) {
    open(vendor)
    for index in vendors.indices where Name(vendors[index].name) == Name(vendor) {
      vendors[index].counts[result, default: 0] += number
    }
  }

  /// The count of a result, of all vendors.
  subscript(result: Result) -> UInt64 { vendors.reduce(0) { $0 + $1.counts[result, default: 0] } }

  func write(to page: inout PrometheusText) {
    page.counters(
      "postern_webhooks_total", "Webhooks to the application's backend, and attempts that were repeated.",
      labels: ["vendor", "result"],
      vendors.flatMap { vendor in
        Result.allCases.map { (values: [vendor.name, $0.rawValue], count: vendor.counts[$0, default: 0]) }
      })
  }
}
