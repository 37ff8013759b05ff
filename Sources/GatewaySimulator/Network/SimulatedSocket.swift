package import GatewayCore
package import GatewayRuntime

/// One end of a simulated connection. A packet sent here arrives at the other end, in order, when virtual time has
/// advanced by the latency. This type also does the transport's own work: pongs, the closing handshake and the size
/// limit.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
package final class SimulatedSocket: Socket, WakeupTarget, @unchecked Sendable {
  /// A packet on its way to the other end.
  enum Packet {
    /// The upgrade has been accepted; with the 101, for a dialler that wants it.
    case opened(HTTPResponse?)
    case message(Frame)
    case ping([UInt8])
    case pong([UInt8])
    case close(UInt16, String)
    /// The sender breaks a rule of RFC 6455.
    case violation(CloseReason)
    /// The transport has ended without a close frame.
    case end
    /// The transport has ended with a reset.
    case reset

    /// Whether no packet follows.
    var isLast: Bool {
      switch self {
      case .end, .reset: true
      default: false
      }
    }

    /// The size on the wire in bytes, without masks.
    var size: Int {
      switch self {
      case .opened, .violation, .end, .reset: 0
      case .message(let frame): frame.payload.count + (frame.payload.count < 126 ? 2 : 4)
      case .ping(let payload), .pong(let payload): 2 + payload.count
      case .close(_, let name): 4 + name.utf8.count
      }
    }
  }

  private enum State {
    case open
    /// The close frame has been sent.
    case closing
    /// This end has dropped the connection, and its handler has not been told yet.
    case aborted
    case closed
  }

  package let peer: String
  package let acceptedAt: Instant
  /// The misbehaviour of this end.
  package var faults = SocketFaults() {
    didSet { arm() }
  }
  package var answersClose = true
  /// Whether this end reads nothing because its reader is slow; the end of the transport waits behind what was not read.
  private var isPaused = false
  /// The text of the close frame that arrived.
  package private(set) var peerCloseName: String?
  /// Whether the other end has reset the transport.
  package private(set) var wasReset = false
  private let loop: EventLoop
  private let network: SimulatedNetwork
  /// The name in the trace; nil for the dialling end.
  private let label: String?
  private var handler: (any SocketHandler)?
  private var other: SimulatedSocket?
  private var state = State.open
  private var inbound: [(at: Instant, packet: Packet)] = []
  private var inboundBytes = 0
  private var wakeup: Wakeup!
  private var keepAlive: SimulatedSocket?
  /// The time at which an end that does not read stops waiting for the answer to its close frame.
  private var patienceEnds: Instant?

  /// The time that the other end has to answer a close frame, the same as in the real transport.
  package static let closeTimeout = Duration.seconds(15)

  init(
    loop: EventLoop, network: SimulatedNetwork, handler: any SocketHandler, peer: String, acceptedAt: Instant,
    label: String?
  ) {
    self.loop = loop
    self.network = network
    self.handler = handler
    self.peer = peer
    self.acceptedAt = acceptedAt
    self.label = label
    wakeup = Wakeup(target: self)
  }

  /// Connects two ends.
  static func link(_ one: SimulatedSocket, _ two: SimulatedSocket) {
    one.other = two
    two.other = one
  }

  /// The misbehaviour of the other end; cannot be set after that end has gone.
  package var otherFaults: SocketFaults {
    get { other?.faults ?? SocketFaults() }
    set { other?.faults = newValue }
  }

  /// Whether messages can be sent.
  package var isOpen: Bool { state == .open }

  // MARK: Sending

  package func send(_ frame: Frame) -> SendOutcome {
    loop.preconditionOnTransport()
    guard state == .open, let other else { return .closed }
    let unread = other.inboundBytes + Packet.message(frame).size
    let conditions = network.conditions
    guard unread <= conditions.windowBytes + conditions.queueBytesMax else {
      note("overflows")
      return .overflow
    }
    note("-> \(frame.kind == .text ? frame.text : "\(frame.payload.count) bytes")")
    if !losesMessage() { transmit(.message(frame)) }
    return unread <= conditions.windowBytes ? .sent : .queued
  }

  package var waitingBytes: Int { max(0, (other?.inboundBytes ?? 0) - network.conditions.windowBytes) }

  package func ping() { ping([]) }

  package func ping(_ payload: [UInt8]) {
    loop.preconditionOnTransport()
    guard state == .open else { return }
    note("-> ping")
    transmit(.ping(payload))
  }

  package func pong(_ payload: [UInt8]) {
    loop.preconditionOnTransport()
    guard state == .open else { return }
    note("-> pong")
    transmit(.pong(payload))
  }

  package func close(_ reason: CloseReason) {
    loop.preconditionOnTransport()
    guard state == .open else { return }
    note("-> close \(reason.code) \(reason.name)")
    state = .closing
    transmit(.close(reason.code, reason.name))
    if !faults.isReading || isPaused { boundClosing() }
  }

  package func abort() {
    loop.preconditionOnTransport()
    guard state == .open || state == .closing else { return }
    note("aborts")
    drop(saying: .end)
  }

  package func reset() {
    loop.preconditionOnTransport()
    guard state == .open || state == .closing else { return }
    note("resets")
    drop(saying: .reset)
  }

  private func drop(saying last: Packet) {
    transmit(last)
    state = .aborted
    inbound = []
    arrive(.end, at: loop.now)
  }

  package func stopReading() {
    loop.preconditionOnTransport()
    faults.isReading = false
    if state == .closing { boundClosing() }
  }

  package func pauseReading() {
    loop.preconditionOnTransport()
    isPaused = true
    if state == .closing { boundClosing() }
  }

  package func goOnReading() {
    loop.preconditionOnTransport()
    isPaused = false
    faults.isReading = true
  }

  package var answersPings: Bool {
    get { faults.answersPings }
    set { faults.answersPings = newValue }
  }

  /// Limits the wait for the answer to the close frame, which may never be read.
  private func boundClosing() {
    patienceEnds = loop.now + Self.closeTimeout
    arm()
  }

  /// Breaks a rule of RFC 6455, to which the other end's transport responds with `reason`.
  package func violate(_ reason: CloseReason) {
    loop.preconditionOnTransport()
    guard state == .open else { return }
    transmit(.violation(reason))
  }

  private func losesMessage() -> Bool {
    if faults.messagesToLose > 0 {
      faults.messagesToLose -= 1
    } else if faults.lossShare == 0 || network.nextShare() >= faults.lossShare {
      return false
    }
    note("loses it")
    return true
  }

  private func transmit(_ packet: Packet) {
    guard !faults.isHalfOpen, let other, other.state != .closed, other.state != .aborted else { return }
    other.arrive(packet, at: max(loop.now + network.nextLatency(), other.inbound.last?.at ?? .zero))
  }

  // MARK: Receiving

  func arrive(_ packet: Packet, at instant: Instant) {
    inbound.append((instant, packet))
    inboundBytes += packet.size
    arm()
  }

  private var isListening: Bool { state == .aborted || faults.isReading && !isPaused && !faults.isHalfOpen }

  private func arm() {
    var next = patienceEnds
    if isListening {
      next = inbound.first.map { min($0.at, next ?? .distantFuture) } ?? next
    } else if !faults.isHalfOpen, !isPaused, let last = inbound.last, last.packet.isLast {
      // An end that does not read still learns from the system that the transport has ended.
      next = min(last.at, next ?? .distantFuture)
    }
    if let next { wait(until: next) }
  }

  private func wait(until instant: Instant) {
    keepAlive = self
    loop.deadlines.set(wakeup, at: instant)
  }

  package func wakeUp() {
    keepAlive = nil
    if !isListening, !isPaused, !faults.isHalfOpen, let last = inbound.last, last.at <= loop.now, last.packet.isLast {
      return take(last.packet)
    }
    if let patienceEnds, patienceEnds <= loop.now, state == .closing {
      self.patienceEnds = nil
      transmit(.end)
      return end(nil)
    }
    while isListening, let first = inbound.first, first.at <= loop.now {
      inbound.removeFirst()
      let before = inboundBytes
      inboundBytes -= first.packet.size
      let window = network.conditions.windowBytes
      if before > window, inboundBytes - window <= SocketRoom.drainedBytes { other?.tellDrained() }
      take(first.packet)
    }
    arm()
  }

  /// Tells the handler, after what is under way, that little waits for the other end to read.
  private func tellDrained() {
    loop.execute { [self] in if state == .open { handler?.socketDrained() } }
  }

  private func take(_ packet: Packet) {
    switch packet {
    case .opened(let answer):
      if let answer { handler?.socketHeardAnswer(answer) }
      handler?.socketOpened(self)
    case .message(let frame):
      takeMessage(frame)
    case .ping(let payload):
      guard state == .open else { return }
      note("<- ping")
      if faults.answersPings { transmit(.pong(payload)) }
      (faults.answersPings ? [] : payload).withUnsafeBytes { handler?.socketReceivedPing($0) }
    case .pong(let payload):
      note("<- pong")
      payload.withUnsafeBytes { handler?.socketReceivedPong($0) }
    case .violation(let reason):
      breakOff(reason)
    case .close(let code, let name):
      guard faults.answersClose else { return }
      note("<- close \(code)")
      peerCloseName = name
      if !name.isEmpty { handler?.socketHeardGoodbye(name) }
      if answersClose {
        if state == .open { transmit(.close(code, "")) }
      } else if let other, other.state != .closed, other.state != .aborted {
        other.arrive(.end, at: loop.now + Self.closeTimeout)
      }
      end(code)
    case .end:
      end(nil)
    case .reset:
      wasReset = true
      end(nil)
    }
  }

  private func takeMessage(_ frame: Frame) {
    guard state == .open else { return }
    // A client's messages contain tokens, so the trace records only their size.
    note("<- \(frame.payload.count) bytes")
    if label != nil && frame.payload.count > network.conditions.messageBytesMax {
      return breakOff(.messageTooBig)
    }
    frame.payload.withUnsafeBytes { handler?.socketReceived($0, frame.kind) }
  }

  /// Closes the connection because the other end broke a rule, and tells the handler.
  private func breakOff(_ reason: CloseReason) {
    guard state == .open else { return }
    note("-> close \(reason.code) \(reason.name)")
    state = .closing
    transmit(.close(reason.code, reason.name))
    handler?.socketViolated(reason)
  }

  private func end(_ code: UInt16?) {
    note("ends \(code.map { "\($0)" } ?? "without a close frame")")
    state = .closed
    loop.deadlines.remove(wakeup)
    patienceEnds = nil
    inbound = []
    inboundBytes = 0
    let told = handler
    handler = nil
    other = nil
    told?.socketClosed(code)
  }

  private func note(_ text: @autoclosure () -> String) {
    if let label { network.world.note("\(label) \(text())") }
  }
}
