package import GatewayCore
internal import Synchronization

/// An `AddressQuota` that all loops and nodes share, e.g. for the guests that one address may create.
package final class AddressLimit: Sendable {
  private let quota: Mutex<AddressQuota>
  private let tally: NodeTally

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - perMinute: The maximum number of actions of one address in a minute, at least 1.
  ///   - tally: The connection to the same limit of other nodes.
  package init(perMinute: Int, tally: NodeTally) {
    quota = Mutex(AddressQuota(perMinute: perMinute))
    self.tally = tally
  }

  /// Counts one action of `address`. Returns nil if it is within the quota, else the time until the next one is.
  package func take(_ address: String, at now: WallTime) -> Duration? {
    let wait = quota.withLock { $0.take(address, at: Instant(nanoseconds: now.nanoseconds)) }
    if wait == nil { tally.tell(address) }
    return wait
  }

  /// Counts an action at another node, if the note is about one.
  package func hear(_ note: VendorNote, at now: WallTime) {
    guard let address = tally.key(of: note) else { return }
    quota.withLock { $0.count(address, at: Instant(nanoseconds: now.nanoseconds)) }
  }
}
