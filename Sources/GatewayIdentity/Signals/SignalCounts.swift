internal import GatewayRuntime
internal import Synchronization

/// The number of signals, by kind and outcome.
final class SignalCounts: Sendable {
  enum Result: String, Hashable, Sendable, CaseIterable {
    /// Carried out, or answered if nothing follows from it.
    case taken
    case replayed
    /// About an unknown subject, or of a kind without an effect.
    case ignored
    case refused
    /// The store, or a key, is unavailable: the sender must try again.
    case unavailable
  }

  private struct Key: Hashable {
    let kind: SignalKind
    let result: Result
  }

  private let counts = Mutex<[Key: UInt64]>([:])

  func count(_ kind: SignalKind, _ result: Result) {
    counts.withLock { $0[Key(kind: kind, result: result), default: 0] += 1 }
  }

  /// Writes every series, so that each is there from the start.
  func write(to page: inout PrometheusText) {
    let counts = counts.withLock { $0 }
    page.counters(
      "postern_signals_total", "Logouts, security events and revocations from outside.", labels: ("signal", "result"),
      SignalKind.allCases.map { kind in
        (
          value: kind.rawValue,
          samples: Result.allCases.map {
            (value: $0.rawValue, count: counts[Key(kind: kind, result: $0), default: 0])
          }
        )
      })
  }
}
