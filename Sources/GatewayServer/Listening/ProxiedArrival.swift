// In a release build the compiler finds the constants of <sys/socket.h> in the first C module that includes it.
internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime
internal import Glibc

/// An accepted connection from a proxy that has not named its client yet in the PROXY protocol, e.g. with `PROXY TCP4
/// 203.0.113.7 …`. Only on its loop.
///
/// It reads the header and nothing of what follows, which may be a TLS handshake.
final class ProxiedArrival: LoopConnection, WakeupTarget {
  enum Outcome {
    /// The client's address; nil if the proxy connected on its own behalf.
    case client(String?)
    /// The header was missing, wrong or late. The connection is closed.
    case refused
  }

  private let descriptor: CInt
  private let host: VirtualHost
  private let ended: (Outcome) -> Void
  private var header = ProxyHeader()
  private var watcher: IOWatcher?
  private lazy var wakeup = Wakeup(target: self)

  /// Creates an arrival that calls `ended` once, unless the vhost or the loop ends first.
  init(_ descriptor: CInt, for host: VirtualHost, ended: @escaping (Outcome) -> Void) {
    self.descriptor = descriptor
    self.host = host
    self.ended = ended
  }

  /// Starts the connection. The loop keeps it alive from here on.
  func start() {
    loop.connections.append(self)
    watcher = IOWatcher(descriptor: descriptor, on: loop) { [unowned self] in readSome() }
    watcher?.watch(.readable)
    loop.deadlines.set(wakeup, at: loop.now + host.limits.handshakeTimeout)
  }

  func wakeUp() { end(.refused) }

  private var loop: SocketLoop { host.loop }

  override var server: VirtualHost? { host }

  override func end() {
    stop()
    close(descriptor)
    host.connectionEnded()
  }

  private func readSome() {
    while true {
      switch read() {
      case .needsMore: continue
      case nil: return
      case .complete(let client): return end(.client(client?.description))
      case .invalid: return end(.refused)
      }
    }
  }

  /// Reads the next bytes of the header; returns nil if none have arrived.
  private func read() -> ProxyHeader.Step? {
    withUnsafeTemporaryAllocation(byteCount: ProxyHeader.bytesMax, alignment: 1) { buffer in
      let wanted = header.wanted
      var size = min(wanted.count, buffer.count)
      if wanted.endsAtLineFeed {
        // Finds the end of the line before it reads it.
        let seen = recv(descriptor, buffer.baseAddress, size, CInt(MSG_PEEK))
        guard seen > 0 else { return hasNone(seen) ? nil : .invalid }
        size = buffer[..<seen].firstIndex(of: 0x0a).map { $0 + 1 } ?? seen
      }
      let count = recv(descriptor, buffer.baseAddress, size, 0)
      guard count > 0 else { return hasNone(count) ? nil : .invalid }
      return header.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  private func hasNone(_ count: Int) -> Bool { count < 0 && (errno == EAGAIN || errno == EINTR) }

  private func stop() {
    watcher?.stop()
    watcher = nil
    loop.deadlines.remove(wakeup)
    loop.connections.remove(self)
  }

  private func end(_ outcome: Outcome) {
    if case .refused = outcome { end() } else { stop() }
    ended(outcome)
  }
}
