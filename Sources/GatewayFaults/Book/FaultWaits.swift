internal import GatewayCore
internal import GatewayRuntime

/// The tasks that faults make wait. When the fault is removed, or the gateway ends, they go on.
///
/// `@unchecked Sendable`: used only on the loops of its book.
final class FaultWaits: @unchecked Sendable {
  private var waits: [UInt64: FaultWait] = [:]
  private var last: UInt64 = 0
  private var hasEnded = false

  /// The maximum number of waiting tasks. Further tasks go on at once.
  private static let countMax = 10_000

  /// Waits until `deadline` on `clock`, for `purpose`. Returns true at the deadline, false if the fault was removed
  /// before.
  nonisolated(nonsending) func wait(
    until deadline: Instant, on clock: EventLoop, as purpose: String, because fault: UInt32
  ) async -> Bool {
    guard !hasEnded, waits.count < Self.countMax else { return false }
    last += 1
    let number = last
    return await withCheckedContinuation { continuation in
      let wait = FaultWait(fault, on: clock, as: purpose) { [self] isDue in
        waits[number] = nil
        continuation.resume(returning: isDue)
      }
      waits[number] = wait
      clock.deadlines.set(wait.wakeup, at: deadline)
    }
  }

  /// Lets the tasks that wait for that fault go on, in their order.
  func end(of fault: UInt32) { end { $0.fault == fault } }

  /// Lets all tasks go on, and makes later waits return at once, when the gateway ends.
  func endAll() {
    hasEnded = true
    end { _ in true }
  }

  private func end(_ isMeant: (FaultWait) -> Bool) {
    for number in waits.keys.sorted() {
      if let wait = waits[number], isMeant(wait) { wait.end() }
    }
  }
}

/// One waiting task.
///
/// `@unchecked Sendable`: used only on the loops of its book.
private final class FaultWait: SleepTarget, @unchecked Sendable {
  let fault: UInt32
  let purpose: String
  private let clock: EventLoop
  private let goOn: (Bool) -> Void
  private(set) var wakeup: Wakeup!

  init(_ fault: UInt32, on clock: EventLoop, as purpose: String, _ goOn: @escaping (Bool) -> Void) {
    self.fault = fault
    self.clock = clock
    self.purpose = purpose
    self.goOn = goOn
    wakeup = Wakeup(target: self)
  }

  func wakeUp() { goOn(true) }

  func end() {
    clock.deadlines.remove(wakeup)
    goOn(false)
  }
}
