package import GatewayRuntime
internal import Synchronization

/// The counts of spans by what became of them.
package final class SpanCounts: Sendable {
  enum Result: String, CaseIterable, Sendable {
    /// The collector has taken it.
    case sent
    /// The collector has taken others of the same request.
    case rejected
    /// The collector has refused the request.
    case refused
    /// The collector gave no answer, or none in time.
    case failed
    /// There was no room for it.
    case dropped
  }

  private let counts = Mutex<[Result: UInt64]>([:])

  package init() {}

  func count(_ result: Result, _ spans: UInt64) {
    guard spans > 0 else { return }
    counts.withLock { $0[result, default: 0] += spans }
  }

  /// Writes the counts, so that every series is there from the start.
  package func write(to page: inout PrometheusText) {
    let counts = counts.withLock { $0 }
    page.counters(
      "postern_spans_total", "Spans of traces, by what became of them.", label: "result",
      Result.allCases.map { (value: $0.rawValue, count: counts[$0, default: 0]) })
  }
}
