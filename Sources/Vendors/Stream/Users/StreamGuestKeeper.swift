internal import GatewayCore

/// The keeper of guests: counts by address who makes them, 60 a minute for instance, and forgets those whom nobody has
/// been connected as for long.
package actor StreamGuestKeeper {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The most guests looked at for being forgotten at one time.
  private static let sweepMax = 1000

  private let executor: any SerialExecutor
  private let directory: StreamDirectory
  private let limits: StreamGuestLimits
  private var others: AddressQuota
  private var loopback: AddressQuota
  private var sweepsAt: WallTime?
  private var forgotten: UInt64 = 0

  /// On an executor that the gateway's services may be asked from: a loop of the gateway.
  package init(on executor: any SerialExecutor, directory: StreamDirectory, limits: StreamGuestLimits) {
    self.executor = executor
    self.directory = directory
    self.limits = limits
    others = AddressQuota(perMinute: limits.perAddressPerMinute)
    loopback = AddressQuota(perMinute: limits.perLoopbackPerMinute)
  }

  package var figures: StreamGuestFigures {
    StreamGuestFigures(refused: others.refusals + loopback.refusals, forgotten: forgotten)
  }

  /// Counts a guest made from `address`. Nil if it is within the limit, else after how long the next one is.
  func take(_ address: String, at now: WallTime) -> Duration? {
    let now = Instant(nanoseconds: now.nanoseconds)
    return Self.isLoopback(address) ? loopback.take(address, at: now) : others.take(address, at: now)
  }

  static func isLoopback(_ address: String) -> Bool {
    ["127.", "::ffff:127."].contains { address.utf8.starts(with: $0.utf8) } || Name(address) == "::1"
  }

  /// Forgets guests who have rested long enough. Looks for them once in a while, however often it is asked.
  func sweep(on services: any GatewayServices) async {
    let now = services.wallTime
    if let sweepsAt, now < sweepsAt { return }
    sweepsAt = now + .seconds(60)
    // Where the store is away they are kept until the next time.
    let made = try? await directory.forgetGuests(restingSince: now - limits.rest, limit: Self.sweepMax, at: now) {
      await services.isConnected($0)
    }
    guard let made else { return }
    if !made.isDone { sweepsAt = now + .seconds(1) }
    forgotten += UInt64(made.forgotten)
  }

  /// Notes that the guest was connected until now.
  func saw(_ guest: UserID, at now: WallTime) async {
    // A guest who was removed meanwhile needs no note.
    _ = try? await directory.updateUser(guest, creates: false, at: now) { user, _ in user.lastActive = now }
  }
}
