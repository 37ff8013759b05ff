internal import GatewayCore

/// Alarm of somebody who does things when their time has come: of ``SendbirdScheduler``, who sends messages later, for
/// instance. It rings at the earliest time that it was set for, whatever it was set for besides.
actor SendbirdAlarm {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// How soon those look again who found the store away.
  static let patience = Duration.seconds(1)

  private let purpose: String
  private let executor: any (SerialExecutor & TaskExecutor)
  private let services: any GatewayServices
  /// When it rings next; nil while it is not set.
  private var ringsAt: WallTime?
  /// How often in a row it rang before its time.
  private var earlyCount = 0

  /// - Parameters:
  ///   - purpose: What is waited for, in words for who looks at those that sleep.
  ///   - executor: One that `GatewayServices.sleep(for:as:)` may be called from: a loop of the gateway.
  ///   - services: Whose time it keeps.
  init(_ purpose: String, on executor: any (SerialExecutor & TaskExecutor), services: any GatewayServices) {
    self.purpose = purpose
    self.executor = executor
    self.services = services
  }

  /// Has `look` done then, and returns at once. Where it rings earlier anyway it stays as it is: who looks sets it again.
  func set(for time: WallTime, _ look: @escaping @Sendable () async -> Void) {
    if let ringsAt, ringsAt <= time { return }
    ringsAt = time
    Task.immediate(executorPreference: executor) {
      await self.services.sleep(for: max(.milliseconds(1), time - self.services.wallTime), as: self.purpose)
      if self.rings(at: time) { await look() }
    }
  }

  /// Whether the sleeper of that time is the one to look.
  private func rings(at time: WallTime) -> Bool {
    // Somebody else has been told to look earlier.
    guard ringsAt == time else { return false }
    ringsAt = nil
    // A clock may be put back. Where nobody sleeps at all any more the gateway has ended.
    earlyCount = services.wallTime < time ? earlyCount + 1 : 0
    guard earlyCount < 3 else {
      earlyCount = 0
      return false
    }
    return true
  }
}
