internal import GatewayCore

/// Why a server of the application's own gave no usable answer.
package struct OutboundFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The results by which requests are counted.
  package enum Result: String, Hashable, Sendable, CaseIterable {
    case read, unchanged
    case refused, unreachable, timedOut = "timed_out", malformed
    /// No request was sent: the breaker is open, or too many wait.
    case notAsked = "not_asked"
  }

  /// Contains nothing of the answer's body but names of keys.
  package let description: String
  package let result: Result
  /// The status of an answer that refuses.
  var status: Int?
  /// How long the server wants to be left alone.
  var retryAfter: Duration?
  /// Whether the settings are wrong and no later answer will be better.
  package var isLasting = false
  /// The name of the endpoint, if known.
  package var endpoint: String?

  package init(_ description: String, _ result: Result) {
    self.description = description
    self.result = result
  }

  /// A failure by the status of an answer.
  init(status: Int) {
    self.init("status \(status)", .refused)
    self.status = status
  }

  /// Whether there is nothing at the address.
  var isMissing: Bool { status == 404 || status == 410 }

  /// Whether the same request may be answered a moment later.
  var mayPass: Bool {
    switch result {
    case .unreachable, .malformed: retryAfter == nil && !isLasting
    case .refused: retryAfter == nil && (status.map { $0 >= 500 || $0 == 408 } ?? false)
    case .read, .unchanged, .timedOut, .notAsked: false
    }
  }
}
