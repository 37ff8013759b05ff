internal import CLibWebSockets
internal import Glibc

/// The bytes of an accepted connection in both directions, over TLS or plain, without blocking. Only on its loop.
struct ClientStream {
  /// The outcome of a flush.
  enum Flush {
    /// Everything was passed to the system.
    case done
    /// The peer must read first; says whether it accepted some bytes.
    case waits(hasMoved: Bool)
    case failed
  }

  let descriptor: CInt
  var tls: TLSServer?
  /// The event that reading waits for, and the one of writing: with TLS each may wait for the other direction.
  private(set) var readNeeds = IOWatcher.Events.readable
  private var writeNeeds = IOWatcher.Events.writable
  /// The bytes that wait for the peer to read, from `sent` on.
  private var output: [UInt8] = []
  private var sent = 0

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  // MARK: Reading

  /// Reads the next bytes; 0 bytes is the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferStep {
    let step = tls?.read(into: buffer) ?? readPast(buffer)
    if case .needs(let events) = step { readNeeds = events } else { readNeeds = .readable }
    return step
  }

  /// Reads the next bytes without TLS.
  func readPast(_ buffer: UnsafeMutableRawBufferPointer) -> TransferStep {
    // Not recv(): that is reserved for the library and recorded (interposition.c).
    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    if count >= 0 { return .moved(count) }
    return errno == EAGAIN || errno == EINTR ? .needs(.readable) : .failed
  }

  /// Whether OpenSSL has received bytes that were not read yet; no event reports them.
  var hasPending: Bool { tls?.hasPending == true }

  /// Whether the peer has sent bytes that were not read, so that a close would be a reset.
  var hasUnread: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, CInt(MSG_PEEK)) > 0
  }

  /// Whether the peer has ended the connection, or its half of it, and nothing is left to read. TLS's own end message counts as
  /// something to read.
  var hasEnded: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, CInt(MSG_PEEK))
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
  }

  /// Whether the peer has reset the connection, or ended its half of it too early: fewer than `owed` bytes wait to be read. Unlike
  /// ``hasEnded``, it sees an end behind bytes.
  func hasLeft(owing owed: Int) -> Bool {
    // The first byte of `tcp_info` is the state.
    var state: UInt8 = 0
    var size = socklen_t(1)
    guard !hasPending, getsockopt(descriptor, CInt(IPPROTO_TCP), TCP_INFO, &state, &size) == 0 else { return false }
    if state == Self.isClosed { return true }
    var waiting: CInt = 0
    guard state == Self.peerHasClosed, ioctl(descriptor, UInt(FIONREAD), &waiting) == 0 else { return false }
    return Int(waiting) < owed
  }

  /// TCP_CLOSE and TCP_CLOSE_WAIT of <netinet/tcp.h>.
  private static let isClosed: UInt8 = 7
  private static let peerHasClosed: UInt8 = 8

  /// The first byte that the peer has sent and that was not read yet.
  enum FirstByte {
    case byte(UInt8)
    case none
    case ended
  }

  /// Returns the first byte without reading it.
  var firstByte: FirstByte {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, CInt(MSG_PEEK))
    if count > 0 { return .byte(byte) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? .none : .ended
  }

  /// Continues the handshake; without TLS there is none.
  mutating func handshake() -> TLSServer.Handshake {
    let step = tls?.handshake() ?? .done
    if case .needs(let events) = step { readNeeds = events } else { readNeeds = .readable }
    return step
  }

  // MARK: Writing

  /// The event that writing waits for; empty if nothing waits.
  var outputEvents: IOWatcher.Events { hasOutput ? writeNeeds : [] }

  var hasOutput: Bool { sent < output.count }

  /// The number of bytes that wait for the peer to read.
  var outputCount: Int { output.count - sent }

  /// Adds bytes after the waiting ones; flush() sends them.
  mutating func add(_ bytes: [UInt8]) {
    guard hasOutput else {
      (output, sent) = (bytes, 0)
      return
    }
    // A streamed answer may always have waiting bytes, so the sent ones must be removed here.
    if sent > output.count / 2 {
      output.removeFirst(sent)
      sent = 0
    }
    output += bytes
  }

  /// Writes as many bytes as the peer accepts.
  mutating func flush() -> Flush {
    let before = sent
    while sent < output.count {
      let step = output.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
        return tls?.write(rest) ?? writePlain(rest)
      }
      switch step {
      case .moved(let count): sent += count
      case .needs(let events):
        writeNeeds = events
        return .waits(hasMoved: sent > before)
      case .failed: return .failed
      }
    }
    output = []
    sent = 0
    return .done
  }

  private func writePlain(_ bytes: UnsafeRawBufferPointer) -> TransferStep {
    let count = send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
    if count >= 0 { return .moved(count) }
    return errno == EAGAIN || errno == EINTR ? .needs(.writable) : .failed
  }

  // MARK: The end

  /// Tells the peer that nothing more follows.
  func endSending() {
    tls?.endSending()
    shutdown(descriptor, CInt(SHUT_WR))
  }

  /// Passes the TLS session to a new owner, which frees it.
  mutating func releaseSession() -> OpaquePointer? {
    defer { tls = nil }
    return tls?.release()
  }

  mutating func close() {
    tls = nil
    output = []
    Glibc.close(descriptor)
  }
}
