internal import GatewayCore
internal import Synchronization

/// The allowance that the listeners of one server share, however many addresses they are on: the connections that are
/// open under `--connections-max`, for instance, and the new ones that may come in a second.
package final class ConnectionAllowance: Sendable {
  private let connections = Atomic<Int>(0)
  private let bucket = Mutex<TokenBucket?>(nil)

  package init() {}

  /// Open connections.
  var count: Int { connections.load(ordering: .relaxed) }

  func connectionAssigned() {
    connections.add(1, ordering: .relaxed)
  }

  func connectionEnded() {
    connections.subtract(1, ordering: .relaxed)
  }

  /// Counts a new one at `now`. False if it is above `rate` a second.
  func mayBegin(rate: Double, at now: Instant) -> Bool {
    bucket.withLock { bucket in
      var known = bucket ?? TokenBucket(rate: rate, capacity: max(1, rate), at: now)
      defer { bucket = known }
      return known.take(at: now)
    }
  }
}
