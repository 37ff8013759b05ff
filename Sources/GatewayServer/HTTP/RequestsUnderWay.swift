internal import GatewayCore
internal import GatewayRuntime

/// The unanswered HTTP requests of one listener on one loop, with the tasks that wait for the last of them during a drain.
///
/// `@unchecked Sendable`: touched only on the loop.
final class RequestsUnderWay: @unchecked Sendable {
  private(set) var count = 0
  /// Whether the server ends: each answer is its connection's last.
  var isFinishing = false
  private var waiters: [ObjectIdentifier: Waiter] = [:]

  func begin() {
    count += 1
  }

  func end() {
    count -= 1
    guard count == 0 else { return }
    for waiter in waiters.values { waiter.finish() }
  }

  /// Calls `ended` with the number of requests left: as soon as there are none, or at `deadline`.
  func wait(until deadline: Instant, on loop: SocketLoop, ended: @escaping (Int) -> Void) {
    guard count > 0, deadline > loop.now else { return ended(count) }
    let waiter = Waiter(for: self, on: loop, ended: ended)
    waiters[ObjectIdentifier(waiter)] = waiter
    loop.deadlines.set(waiter.wakeup, at: deadline)
  }

  /// A task that waits. The table owns it until it is over.
  private final class Waiter: WakeupTarget {
    private unowned let requests: RequestsUnderWay
    private let loop: SocketLoop
    private let ended: (Int) -> Void
    private(set) lazy var wakeup = Wakeup(target: self)

    init(for requests: RequestsUnderWay, on loop: SocketLoop, ended: @escaping (Int) -> Void) {
      self.requests = requests
      self.loop = loop
      self.ended = ended
    }

    func finish() {
      loop.deadlines.remove(wakeup)
      requests.waiters[ObjectIdentifier(self)] = nil
      ended(requests.count)
    }

    func wakeUp() { finish() }
  }
}
