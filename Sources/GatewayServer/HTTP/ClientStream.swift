internal import CLibWebSockets
internal import Glibc

/// The bytes of an accepted connection in both directions, over TLS or plain, without waiting: what a slow reader does
/// not take of an answer stays here, for instance. Only on its loop.
struct ClientStream {
  /// The outcome of a flush: the peer must read first, for instance.
  enum Flush {
    /// Everything is with the system.
    case done
    /// The peer must read first; whether it took some.
    case waits(hasMoved: Bool)
    case failed
  }

  let descriptor: CInt
  var tls: TLSServer?
  /// What reading waits for, and writing: with TLS it may be the other way about.
  private(set) var readNeeds = IOWatcher.Events.readable
  private var writeNeeds = IOWatcher.Events.writable
  /// What waits for the peer to read, from `sent` on.
  private var output: [UInt8] = []
  private var sent = 0

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  // MARK: Reading

  /// What has come; nothing moved is the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferStep {
    let step = tls?.read(into: buffer) ?? readPast(buffer)
    if case .needs(let events) = step { readNeeds = events } else { readNeeds = .readable }
    return step
  }

  /// What has come, without TLS.
  func readPast(_ buffer: UnsafeMutableRawBufferPointer) -> TransferStep {
    // Not recv(): that is the library's, and noted (interposition.c).
    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    if count >= 0 { return .moved(count) }
    return errno == EAGAIN || errno == EINTR ? .needs(.readable) : .failed
  }

  /// Whether bytes have been taken from the system that nobody has read: no event tells of them.
  var hasPending: Bool { tls?.hasPending == true }

  /// Whether the peer has sent what nobody has read, so that a close would be a reset.
  var hasUnread: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, CInt(MSG_PEEK)) > 0
  }

  /// Whether the peer has ended the connection, or its half of it, and nothing is left to read. What TLS says of its own end
  /// counts as something to read.
  var hasEnded: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, CInt(MSG_PEEK))
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
  }

  /// Goes on with the handshake; without TLS there is none.
  mutating func handshake() -> TLSServer.Handshake {
    let step = tls?.handshake() ?? .done
    if case .needs(let events) = step { readNeeds = events } else { readNeeds = .readable }
    return step
  }

  // MARK: Writing

  /// What writing waits for; nothing if it does not.
  var outputEvents: IOWatcher.Events { hasOutput ? writeNeeds : [] }

  var hasOutput: Bool { sent < output.count }

  /// How many bytes wait for the peer to read.
  var outputCount: Int { output.count - sent }

  /// Puts bytes behind what waits; flush() sends them.
  mutating func add(_ bytes: [UInt8]) {
    guard hasOutput else {
      (output, sent) = (bytes, 0)
      return
    }
    // Of what goes on there may always be some that waits, and what has been sent would stay.
    if sent > output.count / 2 {
      output.removeFirst(sent)
      sent = 0
    }
    output += bytes
  }

  /// Writes what the peer takes.
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

  /// Tells the peer that nothing more comes.
  func endSending() {
    tls?.endSending()
    shutdown(descriptor, CInt(SHUT_WR))
  }

  /// Gives the TLS session to somebody else, who frees it.
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
