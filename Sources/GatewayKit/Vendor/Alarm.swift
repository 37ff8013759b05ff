package import GatewayCore

/// An alarm for work that is due at a time, such as messages to send later. It rings at the earliest time that it was set
/// for.
package actor Alarm {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// How soon those look again who found the store away.
  package static let patience = Duration.seconds(1)

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
  ///   - purpose: What is waited for, in words for who looks at those that sleep.
  ///   - executor: One that `GatewayServices.sleep(for:as:)` may be called from: a loop of the gateway.
  ///   - services: Whose time it keeps.
  package init(_ purpose: String, on executor: any (SerialExecutor & TaskExecutor), services: any GatewayServices) {
    self.purpose = purpose
    self.executor = executor
    self.services = services
  }

  /// Has `look` done then, and returns at once. Where it rings earlier anyway it stays as it is: who looks sets it again.
  package func set(for time: WallTime, _ look: @escaping @Sendable () async -> Void) {
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
