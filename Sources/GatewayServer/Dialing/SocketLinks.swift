package import GatewayCore
internal import GatewayRuntime

/// The links that other modules open from a ``SocketLoop``, e.g. to a database server.
///
/// `@unchecked Sendable`: its dialer is touched only on the loop.
package final class SocketLinks: LinkLoop, @unchecked Sendable {
  private let loop: SocketLoop
  private let dialer: SocketDialer

  package init(on loop: SocketLoop) {
    self.loop = loop
    dialer = SocketDialer(on: loop)
  }

  package var isCurrent: Bool { loop.events.isCurrent }

  package var now: Instant { loop.now }

  package func nextShare() -> Double { loop.events.nextShare() }

  package func open(to target: LinkTarget, handler: any ByteLinkHandler) -> any ByteLink {
    loop.events.preconditionOnLoop()
    var dialled = DialTarget(host: target.host, port: target.port, isTLS: target.isTLS)
    if target.caPath != nil || target.certificatePath != nil {
      dialled.identity = TLSIdentity(
        caPath: target.caPath, certificatePath: target.certificatePath, keyPath: target.keyPath)
    }
    let link = DialledLink(to: dialled, by: dialer, handler: handler)
    link.start()
    return link
  }

  package func execute(_ work: @escaping @Sendable () -> Void) { loop.events.execute(work) }

  package func run(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    loop.events.preconditionOnLoop()
    guard !loop.isStopping else { return }
    Timer(work).set(on: loop, at: loop.now + delay)
  }

  /// Work that waits for its time. It holds itself until then; the heap of deadlines holds only its wake-up.
  private final class Timer: WakeupTarget {
    private let work: @Sendable () -> Void
    private lazy var wakeup = Wakeup(target: self)
    private var keepAlive: Timer?

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }

    func set(on loop: SocketLoop, at time: Instant) {
      keepAlive = self
      loop.deadlines.set(wakeup, at: time)
    }

    func wakeUp() {
      keepAlive = nil
      work()
    }
  }
}
