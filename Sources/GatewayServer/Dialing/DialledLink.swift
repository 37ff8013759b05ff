internal import GatewayCore
internal import GatewayRuntime

/// A connection that carries plain bytes, over TCP or TLS, for a protocol that is another module's.
///
/// The loop keeps it alive until it ends.
///
/// `@unchecked Sendable`: touched only on its loop.
final class DialledLink: DialledConnection, ByteLink, @unchecked Sendable {
  private var handler: (any ByteLinkHandler)?
  private var waiting = WaitingBytes()
  private var isFlushing = false
  private var phase = Phase.opening
  /// The maximum number of bytes that are read before other connections have their turn.
  private static let turnBytesMax = 1 << 20
  private static let openTimeout = Duration.seconds(5)

  private enum Phase { case opening, open, ended }

  init(to target: DialTarget, by dialer: SocketDialer, handler: any ByteLinkHandler) {
    self.handler = handler
    super.init(to: target, by: dialer)
  }

  func start() {
    loop.connections.append(self)
    loop.deadlines.set(wakeup, at: loop.now + Self.openTimeout)
    loop.events.execute { [self] in
      if phase == .opening { reach() }
    }
  }

  // MARK: ByteLink

  var waitingBytes: Int { waiting.count }

  func send(_ bytes: [UInt8]) {
    guard phase != .ended else { return }
    bytes.withUnsafeBytes { waiting.append($0) }
    guard phase == .open, !isFlushing else { return }
    isFlushing = true
    loop.events.execute { [self] in
      guard isFlushing else { return }
      flush()
    }
  }

  func close() {
    handler = nil
    finish("")
  }

  // MARK: The connection

  override func established() {
    guard phase == .opening else { return }
    phase = .open
    loop.deadlines.remove(wakeup)
    handler?.linkOpened()
    flush()
    // TLS may have bytes already, which the descriptor does not report.
    if phase == .open, tls != nil { receive() }
  }

  override func advance() {
    flush()
    if phase == .open { receive() }
  }

  override func failed(_ failure: DialFailure) { finish("\(failure)") }

  override func wakeUp() { finish("no connection within \(Int(Self.openTimeout.inSeconds)) s") }

  override func end() { finish("the loop ended") }

  private func flush() {
    isFlushing = false
    while phase == .open, !waiting.isEmpty {
      switch waiting.withUnsafeBytes({ move(out: $0) }) {
      case .moved(let count): waiting.dropFirst(count)
      case .needsWritable, .needsReadable: return watch()
      case .failed(let reason): return finish(reason)
      case .insecure(let failure): return finish("\(failure)")
      }
    }
    watch()
  }

  private func watch() {
    guard phase == .open else { return }
    watcher?.watch(waiting.isEmpty ? .readable : [.readable, .writable])
  }

  private func receive() {
    var left = Self.turnBytesMax
    while phase == .open, left > 0 {
      switch move(into: loop.inbound) {
      case .moved(0): return finish("the server closed the connection")
      case .moved(let count):
        left -= count
        handler?.linkReceived(UnsafeRawBufferPointer(rebasing: loop.inbound[..<count]))
        // A part of the buffer was used, so there is no more for now.
        guard count == loop.inbound.count || tls?.hasPending == true else { return }
      case .needsReadable, .needsWritable: return
      case .failed(let reason): return finish(reason)
      case .insecure(let failure): return finish("\(failure)")
      }
    }
    // Decrypted bytes may be left, which no event reports.
    if phase == .open, tls?.hasPending == true {
      loop.events.execute { [self] in
        if phase == .open { receive() }
      }
    }
  }

  private func finish(_ reason: String) {
    guard phase != .ended else { return }
    phase = .ended
    isFlushing = false
    loop.deadlines.remove(wakeup)
    closeDescriptor()
    loop.connections.remove(self)
    waiting.removeAll()
    guard let handler else { return }
    self.handler = nil
    loop.events.execute { [handling = Handling(handler: handler)] in handling.handler.linkClosed(reason) }
  }

  /// A handler on its way through the loop's queue.
  // Unchecked Sendable: it is touched on the loop only.
  private struct Handling: @unchecked Sendable {
    let handler: any ByteLinkHandler
  }
}
