package import GatewayRuntime
internal import Synchronization

/// Counts what the transport refuses by itself, before a site is asked: no connection or route sees these.
package final class TransportRefusals: Sendable {
  /// Why; the labels of the metric.
  enum Reason: String, CaseIterable {
    /// More connections than the listener may have, answered or not.
    case connectionLimit = "connection_limit"
    /// More new connections a second than it may have.
    case connectionRate = "connection_rate"
    case malformedRequest = "malformed_request"
    /// A head or a body above its limit.
    case tooLarge = "too_large"
    /// An upgrade that RFC 6455 section 4.2.1 does not allow.
    case invalidUpgrade = "invalid_upgrade"
    /// A body that did not arrive in time.
    case bodyTimeout = "body_timeout"
  }

  private let counts = Mutex<[Reason: UInt64]>([:])

  package init() {}

  func count(_ reason: Reason) {
    counts.withLock { $0[reason, default: 0] += 1 }
  }

  /// Every reason with its count, on the page of metrics.
  package func write(to page: inout PrometheusText) {
    let counts = counts.withLock { $0 }
    let values = Reason.allCases.map { ($0.rawValue, counts[$0, default: 0]) }
    page.counters(
      "postern_transport_refusals_total", "Requests and connections refused by the transport.", label: "reason",
      Dictionary(uniqueKeysWithValues: values))
  }
}
