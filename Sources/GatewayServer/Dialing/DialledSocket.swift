internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime

/// A WebSocket that this process dialled, the client's side of RFC 6455: a storm's client on its gateway, for instance.
///
/// Writes at the end of the loop's turn (``WriteBatch``) while nothing waits before it. Ends its transport as soon as both
/// close frames have gone over the wire.
///
/// `@unchecked Sendable`: made and used on one loop.
final class DialledSocket: DialledConnection, Socket, WaitingWriter, @unchecked Sendable {
  /// A stage of the socket's life: `closing`, for instance, when our close frame is sent and the peer's has not come.
  enum Phase: UInt8 {
    /// The upgrade is not answered yet.
    case opening
    case open
    /// Our close frame waits or is sent; nothing else is sent any more.
    case closing
    /// Over, of which the handler will be told in a moment.
    case dropped
    /// Over, and the handler knows.
    case ended
  }

  var handler: (any SocketHandler)?
  private(set) var opening: Opening?
  private var waiting = WaitingBytes()
  /// The pong that comes behind what waits: the answer to the last ping only (RFC 6455 section 5.5.3).
  private var waitingPong: [UInt8]?
  /// What has come of a frame that is not whole.
  var unread: [UInt8] = []
  /// The message that is arriving in fragments.
  var message: (kind: Frame.Kind, bytes: [UInt8])?
  let acceptedAt: Instant
  private var failure: DialFailure?
  private var peerCode: UInt16?
  private(set) var phase = Phase.opening
  /// Whether something waits in the loop's ``WriteBatch``.
  private var isInBatch = false
  /// Whether what comes is thrown away: the peer has broken a rule, and is waited for only to say goodbye.
  private var isDeaf = false
  private var isReading = true
  var answersPings = true
  var answersClose = true

  /// The state that is needed until the socket is open: the `Sec-WebSocket-Accept` that the server must answer, for
  /// instance.
  struct Opening {
    var request: [UInt8]
    let accept: [UInt8]
    let subprotocols: [String]
    var answer: [UInt8] = []
  }

  /// How long the peer may take to answer a close frame once it has broken a rule.
  private static let violationTimeout = Duration.milliseconds(500)

  init(_ opening: Opening, to target: DialTarget, by dialer: SocketDialer, handler: any SocketHandler) {
    self.opening = opening
    self.handler = handler
    acceptedAt = dialer.loop.now
    super.init(to: target, by: dialer)
  }

  /// Begins. The loop holds it from here on.
  func start() {
    loop.connections.append(self)
    loop.deadlines.set(wakeup, at: loop.now + loop.limits.handshakeTimeout)
    reach()
  }

  var limits: ServerLimits { loop.limits }

  var peer: String {
    guard case .success(let found) = dialer.addresses.addresses(of: target, at: loop.now) else { return target.host }
    return SocketAddress.ofPeer(descriptor)?.text ?? found.first?.text ?? target.host
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
    failure = .timedOut
    finish()
  }

  override func end() {
    failure = failure ?? .unreachable("the loop ended")
    finish()
  }

  /// Reads one piece: the loop tells of more when other connections, and deadlines, have had their turn.
  private func read() {
    while phase != .dropped && phase != .ended && isReading {
      switch move(into: loop.inbound) {
      case .moved(0), .failed, .insecure: return finish()
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
      finish()
    case .open(let start):
      self.opening = nil
      phase = .open
      loop.deadlines.remove(wakeup)
      handler?.socketOpened(self)
      if start < bytes.count { takeFrames(UnsafeRawBufferPointer(rebasing: bytes[start...])) }
    }
  }

  /// Whether frames are still of interest.
  var takesFrames: Bool { isReading && !isDeaf && (phase == .open || phase == .closing) }

  // MARK: Socket

  func send(_ frame: Frame) -> SendOutcome {
    guard phase == .open else { return .closed }
    if !hasWaiting, frame.payload.count <= WriteBatch.messageBytesMax {
      isInBatch = true
      loop.write(frame, to: self)
      return .sent
    }
    // What is said by another way must not overtake what waits.
    writeBatch()
    guard phase == .open else { return .closed }
    guard !hasWaiting || waiting.count + frame.payload.count + ClientFrame.headBytesMax <= limits.outboundBytesMax
    else {
      return .overflow
    }
    return frame.payload.withUnsafeBytes { write(frame.kind == .text ? .text : .binary, $0) }
  }

  func ping() {
    writeBatch()
    // A ping that would wait behind too much is not sent: the peer does not even read what is ahead of it.
    guard !hasWaiting || waiting.count < limits.outboundBytesMax else { return }
    // The gateway's library swallows a pong without a payload, so a ping has one.
    if phase == .open { _ = [UInt8(ascii: "p")].withUnsafeBytes { write(.ping, $0) } }
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

  /// How many bytes may wait before further pongs do not wait behind them, but only the last.
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

  /// Sends the bytes, or what the peer takes of them now; the rest waits.
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
      case .needsWritable, .needsReadable: return watch()
      case .failed, .insecure: return drop(nil)
      }
    }
    if let payload = waitingPong {
      waitingPong = nil
      if phase == .open { _ = payload.withUnsafeBytes { write(.pong, $0) } }
    }
    watch()
  }

  private func watch() {
    var events: IOWatcher.Events = isReading ? .readable : []
    if hasWaiting { events.insert(.writable) }
    watcher?.watch(events)
  }

  // MARK: Ends

  /// The peer has broken a rule: says so, and waits a moment for its goodbye.
  func violate(_ reason: CloseReason) {
    unread = []
    message = nil
    isDeaf = true
    guard phase == .open else { return finish() }
    close(reason, patience: Self.violationTimeout)
    handler?.socketViolated(reason)
  }

  /// The peer's close frame; answers it if it is the first of the two.
  func peerCloses(_ payload: UnsafeRawBufferPointer) {
    writeBatch()
    let sent = payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
    let text = UnsafeRawBufferPointer(rebasing: payload.dropFirst(2))
    let isAllowed = sent.map(CloseReason.maySend) ?? payload.isEmpty
    let isText = UTF8Follower.isText(text)
    // What may not be sent is a breach of the protocol, and is told as one.
    peerCode = isAllowed ? sent ?? 1005 : CloseReason.protocolError.code
    if phase == .open && answersClose {
      phase = .closing
      let answer = !isAllowed ? CloseReason.protocolError.code : isText ? sent : CloseReason.invalidPayload.code
      writeClose(answer, "")
    }
    if isText && !text.isEmpty { handler?.socketHeardGoodbye(String(decoding: text, as: UTF8.self)) }
    finish()
  }

  /// Ends it, of which the handler hears when the caller is through.
  private func drop(_ failure: DialFailure?) {
    guard phase != .dropped && phase != .ended else { return }
    self.failure = self.failure ?? failure
    wasOpen = phase != .opening
    phase = .dropped
    loop.events.execute { self.finish() }
  }

  private var wasOpen = false

  /// The transport is over.
  private func finish() {
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
