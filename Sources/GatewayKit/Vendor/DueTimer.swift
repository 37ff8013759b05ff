package import GatewayCore

/// A timer for work that is due at a time, such as messages to send later. It fires at the earliest time that it was
/// set for.
package actor DueTimer {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The delay before the next try when the store is unavailable.
  package static let retryDelay = Duration.seconds(1)

  private let purpose: String
  private let executor: any (SerialExecutor & TaskExecutor)
  private let services: any GatewayServices
  /// The time when it fires next; nil if it is not set.
  private var firesAt: WallTime?
  /// The number of times in a row that it fired too early.
  private var earlyCount = 0

  /// Creates a timer that is not set.
  ///
  /// - Parameters:
  ///   - purpose: The reason of the wait, for the list of sleeping tasks.
  ///   - executor: A loop of the gateway, from which `GatewayServices.sleep(for:as:)` may be called.
  ///   - services: The services whose clock it uses.
  package init(_ purpose: String, on executor: any (SerialExecutor & TaskExecutor), services: any GatewayServices) {
    self.purpose = purpose
    self.executor = executor
    self.services = services
  }

  /// Schedules `look` for that time, and returns at once. Does nothing if it fires earlier anyway: `look` sets it
  /// again.
  package func set(for time: WallTime, _ look: @escaping @Sendable () async -> Void) {
    if let firesAt, firesAt <= time { return }
    firesAt = time
    Task.immediate(executorPreference: executor) {
      await self.services.sleep(for: max(.milliseconds(1), time - self.services.wallTime), as: self.purpose)
      if self.fires(at: time) { await look() }
    }
  }

  /// Returns whether the sleeper for that time must run `look`.
  private func fires(at time: WallTime) -> Bool {
    // An earlier look has been scheduled by now.
    guard firesAt == time else { return false }
    firesAt = nil
    // The clock may have been set back. If sleeps return at once, the gateway has ended.
    earlyCount = services.wallTime < time ? earlyCount + 1 : 0
    guard earlyCount < 3 else {
      earlyCount = 0
      return false
    }
    return true
  }
}
