internal import GatewayCore
internal import Synchronization

/// The count and rate of connections that all listeners of one server share, e.g. those under `--connections-max`.
package final class ConnectionAllowance: Sendable {
  private let connections = Atomic<Int>(0)
  private let bucket = Mutex<TokenBucket?>(nil)

  package init() {}

  /// The open connections.
  var count: Int { connections.load(ordering: .relaxed) }

  func connectionAssigned() {
    connections.add(1, ordering: .relaxed)
  }

  func connectionEnded() {
    connections.subtract(1, ordering: .relaxed)
  }

  /// Counts a new connection at `now`. Returns false if it is above `rate` a second.
  func mayBegin(rate: Double, at now: Instant) -> Bool {
    bucket.withLock { bucket in
      var known = bucket ?? TokenBucket(rate: rate, capacity: max(1, rate), at: now)
      defer { bucket = known }
      return known.take(at: now)
    }
  }
}
