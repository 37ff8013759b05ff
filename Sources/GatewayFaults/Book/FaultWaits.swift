internal import GatewayCore
internal import GatewayRuntime

/// The waiters that a fault keeps waiting: a request for a token that is to be answered in a minute, for instance. When
/// the fault is taken back, or the gateway ends, nobody waits any more.
///
/// `@unchecked Sendable`: touched only on the loops of its book.
final class FaultWaits: @unchecked Sendable {
  private var waits: [UInt64: FaultWait] = [:]
  private var last: UInt64 = 0
  private var hasEnded = false

  /// How many may wait at once; more go on at once.
  private static let countMax = 10_000

  /// Waits until it is `deadline` on `clock`, for `purpose`. True if it is then, false if the fault was taken back before.
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

  /// Lets those go on whom that fault holds back, the first first.
  func end(of fault: UInt32) { end { $0.fault == fault } }

  /// Lets all go on, and nobody wait any more: the gateway ends.
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

/// One who waits.
///
/// `@unchecked Sendable`: touched only on the loops of its book.
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
