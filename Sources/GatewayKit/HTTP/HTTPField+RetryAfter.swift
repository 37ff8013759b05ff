package import GatewayCore

extension HTTPField {
  /// Returns a `Retry-After` field in seconds (RFC 9110 section 10.2.3).
  package static func retryAfter(_ wait: Duration) -> HTTPField {
    HTTPField("retry-after", String(wait.wholeSecondsUp))
  }
}

extension Duration {
  /// The duration in whole seconds, rounded up, at least 1. After that long the duration is over.
  package var wholeSecondsUp: Int64 {
    let (seconds, attoseconds) = components
    return max(1, seconds &+ (attoseconds > 0 ? 1 : 0))
  }
}
