package import GatewayCore
internal import Synchronization

/// An `AddressQuota` that all loops share: the guests that an address may make, say.
package final class AddressLimit: Sendable {
  private let quota: Mutex<AddressQuota>

  /// - Parameter perMinute: The most that one address may do in a minute, 1 or more.
  package init(perMinute: Int) {
    quota = Mutex(AddressQuota(perMinute: perMinute))
  }

  /// Counts one thing done from `address`. Nil if it is within the quota, else after how long the next one is.
  package func take(_ address: String, at now: WallTime) -> Duration? {
    quota.withLock { $0.take(address, at: Instant(nanoseconds: now.nanoseconds)) }
  }
}
