internal import GatewayCore

/// The figures of a token provider for the metrics: how many requests wait for their turn, for instance.
package struct TokenProviderFigures: Hashable, Sendable {
  /// Tokens in the making now.
  package var inFlight = 0
  /// Requests that wait for their turn now.
  package var queued = 0
  /// The most there ever were in the making.
  package var inFlightPeak = 0
  /// The most that ever waited.
  package var queuedPeak = 0
  /// Tokens made.
  package var minted: UInt64 = 0
  /// Those of them whose callers had gone by then.
  package var mintedForNobody: UInt64 = 0
  /// Requests that failed, as configured.
  package var failed: UInt64 = 0
  /// Requests that found the queue full, or were dropped.
  package var overloaded: UInt64 = 0
  /// Requests that were dropped, since their callers had gone.
  package var dropped: UInt64 = 0

  package init() {}

  mutating func count(_ record: ProviderRecord) {
    switch record {
    case .asked: break
    case .minted: minted += 1
    case .failed: failed += 1
    case .refused: overloaded += 1
    }
  }
}
