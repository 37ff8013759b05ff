package import GatewayCore
internal import Synchronization

/// An `AddressQuota` that all loops share, e.g. for the guests that one address may create.
package final class AddressLimit: Sendable {
  private let quota: Mutex<AddressQuota>

  /// Creates a limit.
  ///
  /// - Parameter perMinute: The maximum number of actions of one address in a minute, at least 1.
  package init(perMinute: Int) {
    quota = Mutex(AddressQuota(perMinute: perMinute))
  }

  /// Counts one action of `address`. Returns nil if it is within the quota, else the time until the next one is.
  package func take(_ address: String, at now: WallTime) -> Duration? {
    quota.withLock { $0.take(address, at: Instant(nanoseconds: now.nanoseconds)) }
  }
}
