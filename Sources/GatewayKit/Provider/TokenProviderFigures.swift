package import GatewayCore

/// The figures of a token provider for the metrics.
package struct TokenProviderFigures: Hashable, Sendable {
  /// The tokens that are being minted now.
  package var inFlight = 0
  /// The requests that wait for their turn now.
  package var queued = 0
  /// The highest number of tokens that were being minted at once.
  package var inFlightPeak = 0
  /// The highest number of requests that waited at once.
  package var queuedPeak = 0
  /// The tokens minted.
  package var minted: UInt64 = 0
  /// The minted tokens whose callers had disconnected by then.
  package var mintedForNobody: UInt64 = 0
  /// The requests that failed, as configured.
  package var failed: UInt64 = 0
  /// The requests that were refused because the queue was full, or dropped.
  package var overloaded: UInt64 = 0
  /// The requests that were dropped because their callers had disconnected.
  package var dropped: UInt64 = 0
  /// The requests that a budget refused, and the requests that it refused during a ban.
  package var limited: UInt64 = 0
  package var banned: UInt64 = 0
  /// The refused refresh tokens, and the outcome of the others; nil if the provider rotates none.
  package var denied: UInt64 = 0
  package var rotation: RotationFigures?

  package init() {}

  mutating func count(_ record: ProviderRecord) {
    switch record {
    case .asked: break
    case .minted: minted += 1
    case .failed: failed += 1
    case .refused: overloaded += 1
    case .limited: limited += 1
    case .banned: banned += 1
    case .denied: denied += 1
    }
  }
}
