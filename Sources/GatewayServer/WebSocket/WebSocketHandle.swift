internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime

/// One server-side WebSocket on libwebsockets.
///
/// It writes at the end of the loop's turn (``WriteBatch``) while nothing waits before it. To wait for the writable callback
/// would cost two changes of the poll set and a wake-up for each message. It sends its close frames itself: the library's own
/// closing arms two timers in its linear list, and drops the frame if data waits.
///
/// `@unchecked Sendable`: made and used on one loop.
final class WebSocketHandle: Endpoint, Socket, WaitingWriter, @unchecked Sendable {
  /// A stage of the WebSocket's life.
  enum Phase: UInt8 {
    case opening
    case open
    /// Our close frame waits or is sent; nothing else is sent any more.
    case closing
    /// Ended: the transport is ending, or has ended.
    case ended
  }

  let host: VirtualHost
  let peer: String
  let acceptedAt: Instant
  var handler: (any SocketHandler)?
  /// The message that is arriving in pieces.
  var assembly: MessageAssembly?
  private var queue: OutboundQueue?
  private var closeTimer: CloseTimer?
  /// The state that is needed until the socket is open.
  private(set) var handshake: Handshake?
  // The small properties come last, where they share two words, because there are as many of them as connections.
  /// The size of the message whose rest the library holds; 0 if it holds none.
  private var heldBytes: UInt32 = 0
  /// The code of the peer's close frame; 0 if there was none.
  var peerCode: UInt16 = 0
  var phase = Phase.opening
  /// Whether a message waits in the loop's ``WriteBatch``.
  private var isInBatch = false
  /// Whether a message sent now must wait for the writable callback in any case.
  var isHoldingBack = false
  /// Whether a ping has arrived that the handler has not been told of.
  var hasNewPing = false
  /// Whether pings are noticed as they are read.
  var watchesPings = false
  /// Whether a ping was sent for one without a payload.
  var hasPingedForEmpty = false
  /// Whether our close frame is written; after it the library must not send one (RFC 6455 section 5.5.1).
  private var hasWrittenClose = false
  /// Whether the library has reported its end.
  private(set) var isDestroyed = false
  // The faults of a simulated gateway.
  var isReading = true
  var answersPings = true
  var answersClose = true

  /// The timeout for the peer's answer to a close frame after a message above the limit. The answer may never come, behind the
  /// message's rest.
  static let limitTimeout = Duration.seconds(2)
  /// The same timeout after a breach of the protocol. The library has lost its place among the frames, or the answer would be
  /// inside the rest of a begun frame, so it may be missed.
  static let violationTimeout = Duration.milliseconds(500)

  init(host: VirtualHost, handler: any SocketHandler, peer: String, acceptedAt: Instant, handshake: Handshake) {
    self.host = host
    self.handler = handler
    self.peer = peer
    self.acceptedAt = acceptedAt
    self.handshake = handshake
  }

  var loop: SocketLoop { host.loop }

  // MARK: Socket

  func send(_ frame: Frame) -> SendOutcome {
    guard phase == .open, wsi != nil else { return .closed }
    if maySendAtOnce, frame.payload.count <= WriteBatch.messageBytesMax {
      isInBatch = true
      loop.write(frame, to: self)
      return .sent
    }
    // A message sent by another path must not overtake the waiting ones, and may have to wait itself once they are written.
    writeBatch()
    guard phase == .open, let wsi else { return .closed }
    if maySendAtOnce { return write(frame, to: wsi) }
    let item = OutboundQueue.Item.frame(frame)
    guard waitingBytes + item.cost <= host.limits.outboundBytesMax else { return .overflow }
    enqueue(item)
    return .queued
  }

  func close(_ reason: CloseReason) { close(reason, patience: host.limits.closeTimeout) }

  private func close(_ reason: CloseReason, patience: Duration) {
    writeBatch()
    guard phase == .open, let wsi else { return }
    phase = .closing
    closeTimer = CloseTimer(self, after: patience)
    if maySendAtOnce { writeClose(reason, to: wsi) } else { enqueue(.close(reason)) }
  }

  func abort() {
    writeBatch()
    guard phase != .ended, wsi != nil else { return }
    phase = .ended
    // The library reports the end before it returns; the handler must be told later.
    loop.events.execute { self.kill() }
  }

  func kill() {
    if let wsi { postern_kill(wsi) }
  }

  // MARK: Writing

  /// Writes the loop's batch if it contains a message of this socket.
  func writeBatch() {
    if isInBatch { loop.writeBatch() }
  }

  /// Writes a message that waited in the loop's batch.
  func writeWaiting(_ frame: Frame) {
    isInBatch = false
    guard phase == .open, let wsi else { return }
    if maySendAtOnce { _ = write(frame, to: wsi) } else { enqueue(.frame(frame)) }
  }

  var maySendAtOnce: Bool { heldBytes == 0 && queue?.isEmpty ?? true && !isHoldingBack }

  var waitingBytes: Int { Int(heldBytes) + (queue?.bytes ?? 0) }

  func enqueue(_ item: OutboundQueue.Item) {
    if queue == nil { queue = OutboundQueue() }
    queue!.append(item)
    if let wsi { lws_callback_on_writable(wsi) }
  }

  private func write(_ frame: Frame, to wsi: OpaquePointer) -> SendOutcome {
    let kind = frame.kind == .text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY
    let written = frame.payload.withUnsafeBytes { bytes in
      loop.scratch.with(bytes) { lws_write(wsi, $0, $1, kind) }
    }
    guard written >= 0 else {
      abort()
      return .closed
    }
    guard lws_partial_buffered(wsi) == 0 else {
      heldBytes = UInt32(clamping: frame.payload.count + 14)
      return .queued
    }
    return .sent
  }

  private func writeClose(_ reason: CloseReason, to wsi: OpaquePointer) {
    let payload = [UInt8(reason.code >> 8), UInt8(truncatingIfNeeded: reason.code)] + reason.name.utf8.prefix(123)
    writeClose(CloseReason.maySend(reason.code) ? payload : [], to: wsi)
  }

  private func writeClose(_ payload: [UInt8], to wsi: OpaquePointer) {
    let written = payload.withUnsafeBytes { bytes in
      loop.scratch.with(bytes) { lws_write(wsi, $0, $1, postern_write_close) }
    }
    hasWrittenClose = true
    if written < 0 { abort() } else { noteHeld(payload.count, wsi) }
  }

  func noteHeld(_ count: Int, _ wsi: OpaquePointer) {
    if lws_partial_buffered(wsi) != 0 { heldBytes += UInt32(clamping: count + 14) }
  }

  /// Writes the waiting items, because the peer has read.
  func writable() -> Int32 {
    guard let wsi, phase != .ended, lws_partial_buffered(wsi) == 0 else { return 0 }
    // The library also calls back for other reasons, e.g. after a pong or when reading resumes.
    let hasWaited = waitingBytes > 0
    heldBytes = 0
    while heldBytes == 0, phase != .ended, let item = queue?.popFirst() {
      switch item {
      case .frame(let frame): _ = write(frame, to: wsi)
      case .ping(let payload): writeControl(payload, LWS_WRITE_PING, to: wsi)
      case .pong(let payload): writeControl(payload, LWS_WRITE_PONG, to: wsi)
      case .close(let reason): writeClose(reason, to: wsi)
      }
    }
    if let queue, queue.isEmpty { self.queue = nil }
    if hasWaited, phase == .open, waitingBytes <= SocketRoom.drainedBytes { handler?.socketDrained() }
    return 0
  }

  // MARK: Ends

  /// Receives the peer's close frame. Answers it if it is the first of the two.
  func peerCloses(_ payload: UnsafeRawBufferPointer) -> Int32 {
    writeBatch()
    var code = payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : 1005
    // The library has replaced codes below 3000 that RFC 6455 does not name by 1002. The codes 1012 to 1014 came after the RFC
    // (IANA's registry of close codes) and are valid.
    if code == CloseReason.protocolError.code, let wsi {
      let sent = postern_close_code(
        lws_get_socket_fd(wsi), payload.baseAddress?.assumingMemoryBound(to: UInt8.self), payload.count)
      if sent > 0 { code = UInt16(truncatingIfNeeded: sent) }
    }
    peerCode = code
    let text = UnsafeRawBufferPointer(rebasing: payload.dropFirst(2))
    let isText = UTF8Follower.isText(text)
    if !text.isEmpty, isText { handler?.socketHeardGoodbye(String(decoding: text, as: UTF8.self)) }
    if !answersClose, keepOpen() {
      hasWrittenClose = true
    } else if phase == .open, let wsi {
      // The library accepts codes of 5000 and above.
      let isValid = payload.isEmpty || CloseReason.maySend(code)
      let answer = !isValid ? CloseReason.protocolError.code : isText ? code : CloseReason.invalidPayload.code
      phase = .closing
      writeClose(payload.isEmpty ? [] : [UInt8(answer >> 8), UInt8(truncatingIfNeeded: answer)], to: wsi)
    }
    phase = .ended
    return -1
  }

  /// Closes for a message above a limit, or for invalid text. It reads on until the peer has answered.
  func violate(_ reason: CloseReason) {
    assembly = nil
    guard phase == .open else { return }
    close(reason, patience: reason == .invalidPayload ? Self.violationTimeout : Self.limitTimeout)
    handler?.socketViolated(reason)
  }

  /// Notes that the library found a breach of the protocol and is closing.
  func libraryCloses() {
    writeBatch()
    guard phase == .open, let wsi, lws_get_close_length(wsi) >= 2, let payload = lws_get_close_payload(wsi) else {
      return
    }
    let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
    phase = .closing
    closeTimer = CloseTimer(self, after: Self.violationTimeout)
    handler?.socketViolated(code == CloseReason.invalidPayload.code ? .invalidPayload : .protocolError)
  }

  /// Ends it, because the transport is gone.
  func finish() {
    let wasOpening = phase == .opening
    phase = .ended
    queue = nil
    assembly = nil
    heldBytes = 0
    closeTimer?.cancel()
    closeTimer = nil
    if !isReading { loop.stopped.remove(self) }
    if hasNewPing { loop.pings.removeValue(forKey: ObjectIdentifier(self)) }
    stopWatchingPings()
    handshake = nil
    guard let handler else { return }
    self.handler = nil
    if wasOpening {
      handler.socketRefused(.unreachable("the connection ended before the WebSocket was open"))
    } else {
      handler.socketClosed(peerCode == 0 ? nil : peerCode)
    }
  }

  override func connectionDestroyed() {
    isDestroyed = true
    loop.departed()
    finish()
    host.connectionEnded()
  }

  override func mayWritePong(_ payload: UnsafeRawBufferPointer) -> Bool { answersPing(payload) }

  override func heardPing(_ payload: UnsafeRawBufferPointer) { notePing(payload) }

  override var mayWriteClose: Bool {
    // Nothing may be sent after it.
    writeBatch()
    return !hasWrittenClose
  }

  override func peerHasGone() { abort() }

  override func happened(
    _ reason: lws_callback_reasons, _ input: UnsafeMutableRawPointer?, _ length: Int
  ) -> Int32 {
    if hasNewPing { tellPing() }
    switch reason {
    case LWS_CALLBACK_RECEIVE:
      received(UnsafeRawBufferPointer(start: input, count: length))
    case LWS_CALLBACK_SERVER_WRITEABLE:
      return writable()
    case LWS_CALLBACK_RECEIVE_PONG:
      if phase == .open { receivedPong(UnsafeRawBufferPointer(start: input, count: length)) }
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      return peerCloses(UnsafeRawBufferPointer(start: input, count: length))
    case LWS_CALLBACK_ESTABLISHED:
      opened()
    case LWS_CALLBACK_ADD_HEADERS:
      return handshake?.appendFields(input) ?? 0
    case LWS_CALLBACK_WS_SERVER_DROP_PROTOCOL:
      libraryCloses()
    case LWS_CALLBACK_CLOSED:
      finish()
    default:
      break
    }
    return 0
  }

  private func opened() {
    guard phase == .opening else { return }
    phase = .open
    handshake = nil
    handler?.socketOpened(self)
    if !answersPings { watchPings() }
  }
}

/// The timer that ends a connection if its peer does not answer a close frame in time.
private final class CloseTimer: WakeupTarget {
  private unowned let handle: WebSocketHandle
  private lazy var wakeup = Wakeup(target: self)

  init(_ handle: WebSocketHandle, after timeout: Duration) {
    self.handle = handle
    handle.loop.deadlines.set(wakeup, at: handle.loop.now + timeout)
  }

  func cancel() {
    handle.loop.deadlines.remove(wakeup)
  }

  func wakeUp() {
    handle.kill()
  }
}
