internal import GatewayCore

/// A timer for work that is due at certain times. It fires at the earliest time for which it was set.
actor SendbirdAlarm {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// How long to wait before an unavailable store is tried again.
  static let patience = Duration.seconds(1)

  private let purpose: String
  private let executor: any (SerialExecutor & TaskExecutor)
  private let services: any GatewayServices
  /// When it fires next; nil if it is not set.
  private var ringsAt: WallTime?
  /// How many times in a row it fired too early.
  private var earlyCount = 0

  /// Creates a timer that is not set.
  ///
  /// - Parameters:
  ///   - purpose: The purpose of the wait, as shown in lists of sleepers.
  ///   - executor: An executor from which `GatewayServices.sleep(for:as:)` may be called: a loop of the gateway.
  ///   - services: The services whose clock it uses.
  init(_ purpose: String, on executor: any (SerialExecutor & TaskExecutor), services: any GatewayServices) {
    self.purpose = purpose
    self.executor = executor
    self.services = services
  }

  /// Runs `look` at that time, and returns at once. If it fires earlier anyway nothing changes, since `look` sets it
  /// again.
  func set(for time: WallTime, _ look: @escaping @Sendable () async -> Void) {
    if let ringsAt, ringsAt <= time { return }
    ringsAt = time
    Task.immediate(executorPreference: executor) {
      await self.services.sleep(for: max(.milliseconds(1), time - self.services.wallTime), as: self.purpose)
      if self.rings(at: time) { await look() }
    }
  }

  /// Returns whether the sleeper for that time is to run `look`.
  private func rings(at time: WallTime) -> Bool {
    // An earlier look has been scheduled meanwhile.
    guard ringsAt == time else { return false }
    ringsAt = nil
    // The clock may have been set back. If sleeps return at once, the gateway has ended.
    earlyCount = services.wallTime < time ? earlyCount + 1 : 0
    guard earlyCount < 3 else {
      earlyCount = 0
      return false
    }
    return true
  }
}
