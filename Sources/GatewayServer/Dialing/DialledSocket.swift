internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime

/// A WebSocket that this process dialled: the client's side of RFC 6455.
///
/// It writes at the end of the loop's turn (``WriteBatch``) while nothing waits before it. It ends its transport as soon as
/// both close frames have been transferred.
///
/// `@unchecked Sendable`: made and used on one loop.
final class DialledSocket: DialledConnection, Socket, WaitingWriter, @unchecked Sendable {
  var handler: (any SocketHandler)?
  var opening: Opening?
  private var waiting = WaitingBytes()
  /// The pong that follows the waiting bytes: the answer to the last ping only (RFC 6455 section 5.5.3).
  private var waitingPong: [UInt8]?
  /// The bytes of a frame that is not complete.
  var unread: [UInt8] = []
  /// The message that is arriving in fragments.
  var message: (kind: Frame.Kind, bytes: [UInt8])?
  let acceptedAt: Instant
  var failure: DialFailure?
  private var peerCode: UInt16?
  private(set) var phase = Phase.opening
  /// Whether a message waits in the loop's ``WriteBatch``.
  private var isInBatch = false
  /// Whether received frames are discarded, because the peer has broken a rule. Only its close frame is awaited.
  private var isDeaf = false
  private var isReading = true
  var answersPings = true
  var answersClose = true

  /// The timeout for the peer's answer to a close frame after it has broken a rule.
  private static let violationTimeout = Duration.milliseconds(500)

  init(_ opening: Opening, to target: DialTarget, by dialer: SocketDialer, handler: any SocketHandler) {
    self.opening = opening
    self.handler = handler
    acceptedAt = dialer.loop.now
    super.init(to: target, by: dialer)
  }

  /// Starts the connection. The loop keeps it alive from here on.
  func start() {
    loop.connections.append(self)
    loop.deadlines.set(wakeup, at: loop.now + loop.limits.handshakeTimeout)
    reach()
  }

  // MARK: The transport

  override func established() {
    let request = opening?.request ?? []
    opening?.request = []
    if request.withUnsafeBytes({ put($0) }) == .sent { watcher?.watch(.readable) }
  }

  override func advance() {
    if hasWaiting { flush() }
    if isReading { read() } else { watch() }
  }

  override func failed(_ failure: DialFailure) {
    drop(failure)
  }

  override func wakeUp() {
    guard opening?.refusal == nil else { return transportEnds() }
    failure = .timedOut
    finish()
  }

  override func end() {
    failure = failure ?? .unreachable("the loop ended")
    finish()
  }

  /// Reads one piece. The loop reports further bytes after other connections and deadlines have had their turn.
  private func read() {
    while phase != .dropped && phase != .ended && isReading {
      switch move(into: loop.inbound) {
      case .moved(0), .failed, .insecure: return transportEnds()
      case .moved(let count):
        take(UnsafeRawBufferPointer(rebasing: loop.inbound[..<count]))
        guard tls?.hasPending == true else { return watch() }
      case .needsReadable, .needsWritable: return watch()
      }
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    guard !isDeaf else { return }
    guard let opening else { return takeFrames(bytes) }
    guard opening.refusal == nil else { return takeRefusal(bytes) }
    guard opening.answer.isEmpty else {
      self.opening?.answer.append(contentsOf: bytes)
      let answer = self.opening?.answer ?? []
      return answer.withUnsafeBytes { takeAnswer($0, opening) }
    }
    takeAnswer(bytes, opening)
  }

  private func takeAnswer(_ bytes: UnsafeRawBufferPointer, _ opening: Opening) {
    switch UpgradeAnswer.read(bytes, accept: opening.accept, offered: opening.subprotocols) {
    case .needsMore: if opening.answer.isEmpty { self.opening?.answer = Array(bytes) }
    case .failed(let failure):
      self.failure = failure
      if case .refused = failure, handler?.wantsAnswer == true { return takeRefusal(bytes) }
      finish()
    case .open(let start):
      if handler?.wantsAnswer == true { tellAnswer(UnsafeRawBufferPointer(rebasing: bytes[..<start])) }
      self.opening = nil
      phase = .open
      loop.deadlines.remove(wakeup)
      handler?.socketOpened(self)
      if start < bytes.count { takeFrames(UnsafeRawBufferPointer(rebasing: bytes[start...])) }
    }
  }

  /// Whether frames are still accepted.
  var takesFrames: Bool { isReading && !isDeaf && (phase == .open || phase == .closing) }

  // MARK: Socket

  func send(_ frame: Frame) -> SendOutcome {
    guard phase == .open else { return .closed }
    if !hasWaiting, frame.payload.count <= WriteBatch.messageBytesMax {
      isInBatch = true
      loop.write(frame, to: self)
      return .sent
    }
    // A message sent by another path must not overtake the waiting ones.
    writeBatch()
    guard phase == .open else { return .closed }
    guard !hasWaiting || waiting.count + frame.payload.count + ClientFrame.headBytesMax <= limits.outboundBytesMax
    else {
      return .overflow
    }
    return frame.payload.withUnsafeBytes { write(frame.kind == .text ? .text : .binary, $0) }
  }

  // The gateway's library swallows a pong without a payload, so a ping has one.
  func ping() { ping([UInt8(ascii: "p")]) }

  func ping(_ payload: [UInt8]) {
    writeBatch()
    // A ping that would wait behind too much is not sent: the peer does not even read what is ahead of it.
    guard !hasWaiting || waiting.count < limits.outboundBytesMax else { return }
    if phase == .open { _ = payload.withUnsafeBytes { write(.ping, $0) } }
  }

  func pong(_ payload: [UInt8]) {
    writeBatch()
    if phase == .open { payload.withUnsafeBytes { pong($0) } }
  }

  func close(_ reason: CloseReason) { close(reason, patience: limits.closeTimeout) }

  private func close(_ reason: CloseReason, patience: Duration) {
    writeBatch()
    guard phase == .open else { return }
    phase = .closing
    loop.deadlines.set(wakeup, at: loop.now + patience)
    writeClose(CloseReason.maySend(reason.code) ? reason.code : nil, reason.name)
  }

  func abort() {
    writeBatch()
    drop(nil)
  }

  func reset() {
    if descriptor >= 0 { postern_reset_on_close(descriptor) }
    drop(nil)
  }

  func stopReading() {
    isReading = false
    watch()
  }

  func pauseReading() { stopReading() }

  func goOnReading() {
    guard !isReading else { return }
    isReading = true
    watch()
    guard !unread.isEmpty || tls != nil else { return }
    loop.events.execute {
      self.takeFrames(UnsafeRawBufferPointer(start: nil, count: 0))
      if self.tls != nil { self.read() }
    }
  }

  // MARK: Writing

  private func writeBatch() {
    if isInBatch { loop.writeBatch() }
  }

  func writeWaiting(_ frame: Frame) {
    isInBatch = false
    guard phase == .open else { return }
    _ = frame.payload.withUnsafeBytes { write(frame.kind == .text ? .text : .binary, $0) }
  }

  private var hasWaiting: Bool { !waiting.isEmpty }

  var waitingBytes: Int { waiting.count }

  /// The waiting bytes above which pongs do not queue any more; only the last one is kept.
  private static let pongRoomBytes = 4096

  /// Answers a ping.
  func pong(_ payload: UnsafeRawBufferPointer) {
    waitingPong = waiting.count < Self.pongRoomBytes ? nil : Array(payload)
    if waitingPong == nil { write(.pong, payload) }
  }

  @discardableResult
  func write(_ opcode: ClientFrame.Opcode, _ payload: UnsafeRawBufferPointer) -> SendOutcome {
    withUnsafeTemporaryAllocation(byteCount: payload.count + ClientFrame.headBytesMax, alignment: 8) { buffer in
      let count = ClientFrame.write(opcode, payload, mask: dialer.nextMask(), into: buffer)
      return put(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  private func writeClose(_ code: UInt16?, _ text: String) {
    let payload = code.map { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] + text.utf8.prefix(123) } ?? []
    _ = payload.withUnsafeBytes { write(.close, $0) }
  }

  /// Sends the bytes, or as many as the peer accepts now; the rest waits.
  private func put(_ bytes: UnsafeRawBufferPointer) -> SendOutcome {
    guard !hasWaiting else {
      waiting.append(bytes)
      return .queued
    }
    var sent = 0
    while sent < bytes.count {
      switch move(out: UnsafeRawBufferPointer(rebasing: bytes[sent...])) {
      case .moved(let count): sent += count
      case .needsWritable, .needsReadable:
        waiting.append(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
        watch()
        return .queued
      case .failed, .insecure:
        drop(nil)
        return .closed
      }
    }
    return .sent
  }

  private func flush() {
    while hasWaiting {
      switch waiting.withUnsafeBytes({ move(out: $0) }) {
      case .moved(let count): waiting.dropFirst(count)
      case .needsWritable, .needsReadable:
        watch()
        return tellDrained()
      case .failed, .insecure: return drop(nil)
      }
    }
    if let payload = waitingPong {
      waitingPong = nil
      if phase == .open { _ = payload.withUnsafeBytes { write(.pong, $0) } }
    }
    watch()
    tellDrained()
  }

  private func tellDrained() {
    if phase == .open, waiting.count <= SocketRoom.drainedBytes { handler?.socketDrained() }
  }

  private func watch() {
    var events: IOWatcher.Events = isReading ? .readable : []
    if hasWaiting { events.insert(.writable) }
    watcher?.watch(events)
  }

  // MARK: Ends

  /// Closes because the peer has broken a rule, and waits a moment for its close frame.
  func violate(_ reason: CloseReason) {
    unread = []
    message = nil
    isDeaf = true
    guard phase == .open else { return finish() }
    close(reason, patience: Self.violationTimeout)
    handler?.socketViolated(reason)
  }

  /// Receives the peer's close frame; answers it if it is the first of the two.
  func peerCloses(_ payload: UnsafeRawBufferPointer) {
    writeBatch()
    let sent = payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
    let text = UnsafeRawBufferPointer(rebasing: payload.dropFirst(2))
    let isAllowed = sent.map(CloseReason.maySend) ?? payload.isEmpty
    let isText = UTF8Follower.isText(text)
    // A code that must not be sent is a breach of the protocol, and is reported as one.
    peerCode = isAllowed ? sent ?? 1005 : CloseReason.protocolError.code
    if phase == .open && answersClose {
      phase = .closing
      let answer = !isAllowed ? CloseReason.protocolError.code : isText ? sent : CloseReason.invalidPayload.code
      writeClose(answer, "")
    }
    if isText && !text.isEmpty { handler?.socketHeardGoodbye(String(decoding: text, as: UTF8.self)) }
    finish()
  }

  /// Ends the socket; the handler is notified after the caller returns.
  private func drop(_ failure: DialFailure?) {
    guard phase != .dropped && phase != .ended else { return }
    self.failure = self.failure ?? failure
    wasOpen = phase != .opening
    phase = .dropped
    loop.events.execute { self.finish() }
  }

  private var wasOpen = false

  /// Ends the socket, because the transport is over.
  func finish() {
    guard phase != .ended else { return }
    let hadOpened = phase == .dropped ? wasOpen : phase != .opening
    phase = .ended
    loop.deadlines.remove(wakeup)
    closeDescriptor()
    loop.connections.remove(self)
    loop.departed()
    opening = nil
    unread = []
    message = nil
    waiting.removeAll()
    waitingPong = nil
    guard let handler else { return }
    self.handler = nil
    if hadOpened {
      handler.socketClosed(peerCode)
    } else {
      handler.socketRefused(failure ?? .unreachable("the connection ended before the WebSocket was open"))
    }
  }
}
