package import GatewayCore
package import GatewayRuntime

/// A client in a test's hand: says what the test wants said, ann's login for instance, and remembers what it hears.
/// Answers pings and close frames by itself, as every WebSocket library does, unless its ``faults`` say otherwise.
///
/// Its methods are called by the thread that runs the world, between runs.
///
/// `@unchecked Sendable`: touched only by that thread.
package final class SimulatedPeer: SocketHandler, @unchecked Sendable {
  /// A thing that the peer heard: a close with 4000, for instance.
  package enum Event: Hashable, Sendable {
    case opened
    case refused(DialFailure)
    case message(Frame)
    case pong
    case ping
    /// The code of the close frame; nil if the transport ended without one.
    case closed(code: UInt16?, name: String)
  }

  package private(set) var events: [(at: Instant, event: Event)] = []
  private let loop: EventLoop
  private var socket: SimulatedSocket?

  /// Dials `target`; the connection opens when the world runs.
  package init(_ network: SimulatedNetwork, on loop: SimulatedLoop, to target: DialTarget, upgrade: HTTPRequest) {
    self.loop = loop.eventLoop
    let dialer = SimulatedDialer(network, on: loop)
    self.loop.asCurrent { dialer.dial(target, upgrade: upgrade, subprotocols: [], handler: self) }
  }

  // MARK: Saying

  /// Says a message. Nothing happens on a connection that is not open.
  package func say(_ frame: Frame) {
    loop.asCurrent { _ = socket?.send(frame) }
  }

  package func say(_ text: String) {
    say(Frame(text: text))
  }

  package func ping() {
    loop.asCurrent { socket?.ping() }
  }

  package func close(_ reason: CloseReason = .normal) {
    loop.asCurrent { socket?.close(reason) }
  }

  package func abort() {
    loop.asCurrent { socket?.abort() }
  }

  package func reset() {
    loop.asCurrent { socket?.reset() }
  }

  /// Breaks a rule of RFC 6455, which a transport answers with `reason`.
  package func violate(_ reason: CloseReason) {
    loop.asCurrent { socket?.violate(reason) }
  }

  /// How the peer misbehaves; only on an open connection.
  package var faults: SocketFaults {
    get { socket?.faults ?? SocketFaults() }
    set { loop.asCurrent { socket?.faults = newValue } }
  }

  /// How the gateway's end misbehaves, e.g. which of its messages never arrive; only on an open connection.
  package var gatewayFaults: SocketFaults {
    get { socket?.otherFaults ?? SocketFaults() }
    set { loop.asCurrent { socket?.otherFaults = newValue } }
  }

  // MARK: What was heard

  package var isOpen: Bool { socket?.isOpen ?? false }

  /// Whether the gateway's end has reset the transport.
  package var wasReset: Bool { socket?.wasReset ?? false }

  /// The texts of all messages so far.
  package var texts: [String] {
    events.compactMap { if case .message(let frame) = $0.event { frame.text } else { nil } }
  }

  /// The messages so far as a client of the dialect understands them, and when they came.
  package func notices(in dialect: any ClientDialect) -> [(at: Instant, notice: ServerNotice)] {
    events.compactMap { at, event in
      guard case .message(let frame) = event else { return nil }
      return frame.payload.withUnsafeBytes { dialect.decode($0, frame.kind) }.map { (at, $0) }
    }
  }

  /// Why the connection was refused, nil if it was not.
  package var refusal: DialFailure? {
    for case (_, .refused(let failure)) in events { return failure }
    return nil
  }

  /// How and when the connection ended, nil if it did not.
  package var ending: (at: Instant, code: UInt16?, name: String)? {
    for case (let at, .closed(let code, let name)) in events { return (at, code, name) }
    return nil
  }

  // MARK: SocketHandler

  package func socketOpened(_ socket: any Socket) {
    guard let socket = socket as? SimulatedSocket else { preconditionFailure("a peer lives in a simulated network") }
    self.socket = socket
    hear(.opened)
  }

  package func socketRefused(_ failure: DialFailure) { hear(.refused(failure)) }

  package func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    hear(.message(Frame(kind, Array(payload))))
  }

  package func socketReceivedPong() { hear(.pong) }

  package func socketReceivedPing() { hear(.ping) }

  package func socketViolated(_ reason: CloseReason) {}

  package func socketClosed(_ peerCode: UInt16?) {
    hear(.closed(code: peerCode, name: socket?.peerCloseName ?? ""))
  }

  private func hear(_ event: Event) {
    events.append((loop.now, event))
  }
}
