internal import GatewayCore
internal import GatewayFaults
internal import GatewayRuntime
internal import GatewayWires

/// One of the two WebSockets of a ``ProxiedConnection``. It passes its events on to the other one.
///
/// Messages are passed on whole, in the turn of the loop in which they arrive. While many bytes wait for one end, the other end
/// reads nothing.
///
/// `@unchecked Sendable`: used only on its loop.
final class RelayEnd: @unchecked Sendable {
  let id: ConnectionID
  let isTarget: Bool
  /// The connection that it belongs to; nil before it begins and after it is over.
  var connection: ProxiedConnection?
  private let loop: EventLoop
  private var socket: (any Socket)?
  var hasEnded = false
  /// The text of the peer's close frame.
  private var goodbye = ""
  /// Whether the transport ends as soon as nothing waits for the peer.
  private var isLeaving = false
  /// Whether nothing is read, because much waits for the other end.
  private var isHeld = false
  /// Whether nothing is read, because of the limit of bytes a second.
  private var isThrottled = false
  /// The close that must follow the opening.
  private var closeAtOpening: CloseReason?
  private lazy var wakeup = Wakeup(target: self)

  /// The waiting bytes of one end above which the other end reads nothing.
  static let waitingBytesMax = 64 << 10
  /// The longest wait for a peer to read what came before the end of the transport.
  private static let leaveTimeout = Duration.seconds(15)

  init(isTarget: Bool, of id: ConnectionID, on loop: EventLoop) {
    self.id = id
    self.isTarget = isTarget
    self.loop = loop
  }

  /// The peer's address.
  var peer: String { socket?.peer ?? "" }

  /// The effect of a fault on the last close.
  var otherClose: OtherClose? { socket?.otherClose }

  private var other: RelayEnd? { connection?.other(than: self) }

  // MARK: Events of the other end

  private func send(_ frame: Frame, from other: RelayEnd) {
    switch socket?.send(frame) {
    case .sent, .closed, nil: break
    case .queued: hold(other)
    case .overflow: connection?.close(.internalError)
    }
  }

  /// Sends a message of the proxy's own.
  func say(_ frame: Frame, _ meaning: JournalMessage) {
    connection?.route.control?.faults.isSaying(meaning, to: id)
    if socket?.send(frame) == .overflow { connection?.close(.internalError) }
  }

  private func ping(_ payload: UnsafeRawBufferPointer, from other: RelayEnd) {
    socket?.ping(Array(payload))
    hold(other)
  }

  private func pong(_ payload: UnsafeRawBufferPointer, from other: RelayEnd) {
    socket?.pong(Array(payload))
    hold(other)
  }

  /// Stops the other end's reading if much waits here.
  private func hold(_ other: RelayEnd) {
    guard let socket, socket.waitingBytes > Self.waitingBytesMax, !other.isHeld else { return }
    other.isHeld = true
    other.socket?.pauseReading()
  }

  func close(_ reason: CloseReason) {
    isLeaving = false
    // The peer's close frame has to be read.
    goOnReading()
    if let socket { socket.close(reason) } else if !hasEnded { closeAtOpening = reason }
  }

  /// Ends the transport without a close frame, after what waits for the peer.
  private func leave() {
    isLeaving = true
    // Messages that are sent in this turn of the loop are written at its end.
    loop.execute { [self] in
      guard isLeaving, let socket else { return }
      guard socket.waitingBytes > 0 else { return socket.abort() }
      loop.deadlines.set(wakeup, at: loop.now + Self.leaveTimeout)
    }
  }

  func abort() { socket?.abort() }

  private func goOnReading() {
    isHeld = false
    if !isThrottled { socket?.goOnReading() }
  }

  /// Reads nothing for that long.
  private func throttle(_ wait: Duration) {
    isThrottled = true
    socket?.pauseReading()
    loop.deadlines.set(wakeup, at: loop.now + wait)
  }
}

extension RelayEnd: SocketHandler {
  var takesBytesAsText: Bool { true }
  var wantsAnswer: Bool { isTarget }

  func socketHeardAnswer(_ answer: HTTPResponse) { connection?.targetAnswered(answer) }

  func socketOpened(_ socket: any Socket) {
    self.socket = socket
    socket.answersPings = false
    guard isTarget else {
      connection?.record?.opened()
      if let closeAtOpening { return socket.close(closeAtOpening) }
      // The target's messages since its 101 follow the client's 101.
      return other?.goOnReading() ?? ()
    }
    isHeld = true
    socket.pauseReading()
    connection?.targetOpened()
  }

  func socketRefused(_ failure: DialFailure) {
    hasEnded = true
    if isTarget {
      connection?.targetRefused(failure)
    } else {
      other?.abort()
    }
  }

  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    guard let other else { return }
    if let meaning = connection?.record?.received(payload, kind, fromGateway: isTarget), isTarget {
      connection?.route.control?.faults.isSaying(meaning, to: id)
    }
    let changed = isTarget ? connection?.handingOver(payload) : nil
    other.send(Frame(kind, changed ?? Array(payload)), from: self)
    if !isTarget, let wait = connection?.way.load.spend(payload.count) { throttle(wait) }
  }

  func socketReceivedPing() {}
  func socketReceivedPong() {}
  func socketReceivedPing(_ payload: UnsafeRawBufferPointer) { other?.ping(payload, from: self) }
  func socketReceivedPong(_ payload: UnsafeRawBufferPointer) { other?.pong(payload, from: self) }

  func socketDrained() {
    if isLeaving {
      if socket?.waitingBytes == 0 { socket?.abort() }
    } else if let other, other.isHeld {
      other.goOnReading()
    }
  }

  func socketViolated(_ reason: CloseReason) {
    other?.close(reason)
    connection?.told(reason)
  }

  func socketHeardGoodbye(_ text: String) { goodbye = text }

  func socketClosed(_ peerCode: UInt16?) {
    socket = nil
    hasEnded = true
    loop.deadlines.remove(wakeup)
    let connection = connection
    let reason = peerCode.map { code in
      code == 1005 ? .withoutCode : CloseReason(code: code, name: goodbye) ?? .protocolError
    }
    if let reason { other?.close(reason) } else { other?.leave() }
    if isTarget { connection?.told(reason ?? .connectionLost) } else { connection?.record?.ended(peerCode) }
    connection?.ended()
  }
}

extension RelayEnd: FaultParty {
  var facts: Connection.Facts? { connection?.record?.facts }
  var dialectName: String { connection?.route.control?.wireName ?? BlindWire.name }
  func meaning(of payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> JournalMessage {
    guard let eyes = connection?.record?.eyes else { return kind.meaning }
    return ConnectionRecord.meaning(of: eyes.foresee(payload, kind, at: loop.wallTime)) ?? kind.meaning
  }
  func frame(of message: OutboundMessage) -> Frame? { nil }
  func worded(_ frame: Frame) -> Frame { connection?.record?.eyes?.worded(frame) ?? frame }
  func frame(_ frame: Frame, telling life: Duration) -> Frame? {
    let eyes = connection?.record?.eyes
    let told = frame.payload.withUnsafeBytes { eyes?.telling(life, in: $0, at: loop.wallTime) }
    return told.map { Frame(frame.kind, $0) }
  }
  func control(_ event: SessionEvent) { connection?.control(event) }
  func say(_ saying: Saying) { connection?.say(saying, to: self) }
}

extension RelayEnd: WakeupTarget {
  func wakeUp() {
    guard !isLeaving else { return abort() }
    isThrottled = false
    if !isHeld { socket?.goOnReading() }
  }
}
