package import GatewayRuntime
internal import Synchronization

/// The counts of the transport's own refusals, before a site is asked, e.g. of a malformed head. No connection or route sees
/// these.
package final class TransportRefusals: Sendable {
  /// The reason of a refusal, a label of the metric.
  enum Reason: String, CaseIterable {
    /// More connections than the listener may have, answered or not.
    case connectionLimit = "connection_limit"
    /// More new connections a second than it may have.
    case connectionRate = "connection_rate"
    /// A descriptor's number is above the loop's table, or among the last that the process may open.
    case descriptorLimit = "descriptor_limit"
    /// A proxy's connection that does not begin with the PROXY protocol, or not in time.
    case proxyHeader = "proxy_header"
    /// Plain text where TLS was expected.
    case tlsPlainText = "tls_plain_text"
    /// The peer rejected the certificate, or another part of the handshake, with an alert.
    case tlsAlert = "tls_alert"
    /// Any other TLS handshake that failed: no common version or cipher, or invalid data.
    case tlsHandshake = "tls_handshake"
    /// A TLS handshake that the peer left, or did not finish in time.
    case tlsUnfinished = "tls_unfinished"
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

  /// Writes every reason with its count to the page of metrics.
  package func write(to page: inout PrometheusText) {
    let counts = counts.withLock { $0 }
    page.counters(
      "postern_transport_refusals_total", "Requests and connections refused by the transport.", label: "reason",
      Reason.allCases.reduce(into: [:]) { $0[$1.rawValue] = counts[$1, default: 0] })
  }
}
