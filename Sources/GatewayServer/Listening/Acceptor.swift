internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime
internal import Glibc

/// The acceptor of one listening socket. It accepts connections in bounded batches, so that a thousand new ones leave time for
/// the open ones. Only on its loop.
final class Acceptor {
  private let socket: ListeningSocket
  private unowned let listener: Listener
  private let loop: SocketLoop
  private var watcher: IOWatcher!
  private lazy var resumption = Wakeup(target: self)
  /// The first descriptor number that the process keeps for other purposes.
  private let firstKept: Int
  /// The first descriptor number that does not even get a 503.
  private let firstSilent: Int

  /// The maximum number of connections that are accepted before other work of the loop.
  private static let batch = 64
  /// The maximum number of connections above the limit that get an answer; the rest are closed without one.
  private static let answered = 256
  /// The maximum number of batches at the end: more than the system keeps waiting.
  private static let lastBatches = 128

  init(socket: ListeningSocket, for listener: Listener, on loop: SocketLoop) {
    self.socket = socket
    self.listener = listener
    self.loop = loop
    let limit = ProcessFigures.descriptorLimit
    let kept = listener.settings.takesLastDescriptors ? 0 : ServerLimits.descriptorsKept(of: limit)
    firstKept = limit - kept
    firstSilent = limit - kept / 2
    watcher = IOWatcher(descriptor: socket.descriptor, on: loop) { [unowned self] in _ = acceptSome() }
    watcher.watch(.readable)
  }

  /// Accepts what the system has already connected, since closing the socket would reset it, and stops.
  func stop() {
    for _ in 0..<Self.lastBatches where acceptSome() == .more {}
    watcher.stop()
    loop.deadlines.remove(resumption)
  }

  private enum Waiting {
    case none, more
  }

  /// Accepts a batch. Returns whether more connections may wait.
  private func acceptSome() -> Waiting {
    for _ in 0..<Self.batch {
      let descriptor = postern_accept(socket.descriptor)
      guard descriptor < 0 else {
        admit(descriptor)
        continue
      }
      switch errno {
      case EAGAIN: return .none
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        // The socket stays readable: without a pause the loop would spin until a connection ends.
        watcher.stop()
        loop.deadlines.set(resumption, at: loop.now + .milliseconds(100))
        return .none
      default: continue
      }
    }
    return .more
  }

  private func admit(_ descriptor: CInt) {
    let limits = listener.settings.limits
    let allowance = listener.settings.allowance
    let above = allowance.count - limits.connectionsMax
    var excess: TransportRefusals.Reason?
    if above >= 0 {
      excess = .connectionLimit
    } else if descriptor >= firstKept {
      // The system assigns the lowest free number: few are left.
      excess = .descriptorLimit
    } else if let rate = limits.connectionsPerSecond, !allowance.mayBegin(rate: rate, at: loop.now) {
      excess = .connectionRate
    }
    guard above < Self.answered, descriptor < firstSilent else {
      if let excess { listener.settings.refusals.count(excess) }
      close(descriptor)
      return
    }
    listener.assign(descriptor, excess: excess)
  }
}

extension Acceptor: WakeupTarget {
  func wakeUp() {
    watcher.watch(.readable)
  }
}
