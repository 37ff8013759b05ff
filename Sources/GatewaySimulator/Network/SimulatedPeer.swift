package import GatewayCore
package import GatewayRuntime

/// A client that a test controls: it sends the test's messages and records the received ones. It answers pings and close
/// frames by itself, as every WebSocket library does, unless its ``faults`` say otherwise.
///
/// Its methods are called by the thread that runs the world, between runs.
///
/// `@unchecked Sendable`: touched only by that thread.
package final class SimulatedPeer: SocketHandler, @unchecked Sendable {
  /// A thing that the peer received or observed.
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

  // MARK: Sending

  /// Sends a message. Does nothing if the connection is not open.
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

  /// Breaks a rule of RFC 6455, to which the other end's transport responds with `reason`.
  package func violate(_ reason: CloseReason) {
    loop.asCurrent { socket?.violate(reason) }
  }

  /// The peer's misbehaviour; has an effect only on an open connection.
  package var faults: SocketFaults {
    get { socket?.faults ?? SocketFaults() }
    set { loop.asCurrent { socket?.faults = newValue } }
  }

  /// The misbehaviour of the gateway's end, e.g. messages that it loses; has an effect only on an open connection.
  package var gatewayFaults: SocketFaults {
    get { socket?.otherFaults ?? SocketFaults() }
    set { loop.asCurrent { socket?.otherFaults = newValue } }
  }

  // MARK: Received

  package var isOpen: Bool { socket?.isOpen ?? false }

  /// Whether the gateway's end has reset the transport.
  package var wasReset: Bool { socket?.wasReset ?? false }

  /// The texts of all messages received so far.
  package var texts: [String] {
    events.compactMap { if case .message(let frame) = $0.event { frame.text } else { nil } }
  }

  /// Returns the messages received so far, as a client of the dialect decodes them, with their times.
  package func notices(in dialect: any ClientDialect) -> [(at: Instant, notice: ServerNotice)] {
    events.compactMap { at, event in
      guard case .message(let frame) = event else { return nil }
      return frame.payload.withUnsafeBytes { dialect.decode($0, frame.kind) }.map { (at, $0) }
    }
  }

  /// The reason for the refusal of the connection; nil if it was not refused.
  package var refusal: DialFailure? {
    for case (_, .refused(let failure)) in events { return failure }
    return nil
  }

  /// The time and the close of the connection; nil if it has not ended.
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
