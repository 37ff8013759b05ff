internal import GatewayCore
internal import GatewayKit

/// A manager of guests: limits how many each address creates, and removes guests that have been idle for long.
actor StreamGuestKeeper {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The maximum number of guests checked for removal at one time.
  private static let sweepMax = 1000

  private let executor: any SerialExecutor
  private let directory: StreamDirectory
  private let limits: StreamGuestLimits
  nonisolated let tally: NodeTally
  private var others: AddressQuota
  private var loopback: AddressQuota
  private var sweepsAt: WallTime?
  private var forgotten: UInt64 = 0

  /// Creates the manager on an executor from which the gateway's services may be called: a loop of the gateway.
  init(
    on executor: any SerialExecutor, directory: StreamDirectory, limits: StreamGuestLimits, tally: NodeTally
  ) {
    self.executor = executor
    self.tally = tally
    self.directory = directory
    self.limits = limits
    others = AddressQuota(perMinute: limits.perAddressPerMinute)
    loopback = AddressQuota(perMinute: limits.perLoopbackPerMinute)
  }

  var figures: StreamGuestFigures {
    StreamGuestFigures(refused: others.refusals + loopback.refusals, forgotten: forgotten)
  }

  /// Counts a guest created from `address`. Returns nil if it is within the limit, else the time until the next one is.
  func take(_ address: String, at now: WallTime) -> Duration? {
    let now = Instant(nanoseconds: now.nanoseconds)
    let wait = Self.isLoopback(address) ? loopback.take(address, at: now) : others.take(address, at: now)
    if wait == nil { tally.tell(address) }
    return wait
  }

  /// Counts a guest that was created at another node, if the note is about one.
  func hear(_ note: VendorNote, at now: WallTime) {
    guard let address = tally.key(of: note) else { return }
    let now = Instant(nanoseconds: now.nanoseconds)
    if Self.isLoopback(address) { loopback.count(address, at: now) } else { others.count(address, at: now) }
  }

  static func isLoopback(_ address: String) -> Bool {
    ["127.", "::ffff:127."].contains { address.utf8.starts(with: $0.utf8) } || Name(address) == "::1"
  }

  /// Removes guests that have been idle long enough. Searches for them at intervals, however often it is called.
  func sweep(on services: any GatewayServices) async {
    let now = services.wallTime
    if let sweepsAt, now < sweepsAt { return }
    sweepsAt = now + .seconds(60)
    // If the store is unavailable they are kept until the next time.
    let made = try? await directory.forgetGuests(restingSince: now - limits.rest, limit: Self.sweepMax, at: now) {
      await services.isConnected($0)
    }
    guard let made else { return }
    if !made.isDone { sweepsAt = now + .seconds(1) }
    forgotten += UInt64(made.forgotten)
  }

  /// Notes that the guest was connected until now.
  func saw(_ guest: UserID, at now: WallTime) async {
    // A guest who has been removed by now needs no note.
    _ = try? await directory.updateUser(guest, creates: false, at: now) { user, _ in user.lastActive = now }
  }
}
