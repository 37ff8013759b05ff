package import GatewayCore

/// One open WebSocket, of a gateway or a client. Only on its loop.
///
/// The loop's transport owns it and tells its ``SocketHandler`` what arrives. After ``SocketHandler/socketClosed(_:)`` every
/// call here does nothing.
package protocol Socket: AnyObject, Sendable {
  /// Sends a message: at once if nothing waits before it, else behind what does.
  func send(_ frame: Frame) -> SendOutcome

  /// The bytes of messages that wait for the peer to read, in the process and not in the system; 0 if it keeps up.
  var waitingBytes: Int { get }

  /// Sends a ping (RFC 6455 section 5.5.2).
  func ping()

  /// Sends a ping with this payload, of at most 125 bytes. Drops it if the bounded queue is full.
  func ping(_ payload: [UInt8])

  /// Sends a pong that the transport does not send itself, with this payload, of at most 125 bytes. If much waits before it,
  /// the last of several may be sent alone (RFC 6455 section 5.5.3).
  func pong(_ payload: [UInt8])

  /// Sends the close frame after the waiting data, then waits for the peer's. The handler is told of the end.
  func close(_ reason: CloseReason)

  /// The close that replaced the last `close(_:)`; nil if that was performed.
  var otherClose: OtherClose? { get }

  /// Drops the transport without a close frame. The handler is told of the end, after this call has returned.
  func abort()

  // The faults of a gateway towards its clients, and of a network.

  /// Drops the transport with a TCP reset: waiting data is lost, and over TLS there is no closing alert either. The
  /// handler is told of the end after this call has returned.
  func reset()

  /// Reads nothing from the peer until ``goOnReading()``: no message, no ping (so there is no pong), no close frame.
  /// The system keeps the peer's bytes. The end of the peer's transport is noticed soon, and its unread bytes are then
  /// lost.
  func stopReading()

  /// Reads nothing from the peer until ``goOnReading()``, because the reader of its messages is slow. Unlike
  /// ``stopReading()`` nothing is lost: if the peer ends its transport, that is noticed when everything before it has
  /// been read.
  func pauseReading()

  /// Takes from the peer again, first what was left.
  func goOnReading()

  /// Whether the transport answers pings, as RFC 6455 section 5.5.2 requires. The handler is told of them in both
  /// cases.
  var answersPings: Bool { get set }

  /// Whether the socket finishes a close: it answers the peer's close frame, and ends the transport. If not, the handler is
  /// told of the end as usual. The peer gets no answer, and the transport stays until the peer ends it, for at most 15 s.
  var answersClose: Bool { get set }

  /// The address of the peer, as text.
  var peer: String { get }

  /// When the transport accepted the connection, or began to dial.
  var acceptedAt: Instant { get }
}

/// A faulty gateway's close instead of the ordered one: another code, or no frame at all.
package enum OtherClose: Hashable, Sendable {
  /// A close frame with this code.
  case code(UInt16)
  /// No close frame at all.
  case noFrame

  /// The code that the peer's library reports: 1006 without a close frame (RFC 6455 section 7.4.1).
  package var reportedCode: UInt16 {
    switch self {
    case .code(let code): code
    case .noFrame: 1006
    }
  }
}

extension Socket {
  package var otherClose: OtherClose? { nil }
  package var waitingBytes: Int { 0 }

  /// Sends a ping of the transport's own payload.
  package func ping(_ payload: [UInt8]) { ping() }
  package func pong(_ payload: [UInt8]) {}
  package func pauseReading() { stopReading() }
}

/// Constants of sockets.
package enum SocketRoom {
  /// The maximum number of waiting bytes at which a socket counts as drained.
  package static let drainedBytes = 16 << 10
}

/// The fate of a message that was to be sent, e.g. dropped because the bounded queue is full.
package enum SendOutcome: Hashable, Sendable {
  case sent
  /// Behind others: the peer reads slower than the gateway writes.
  case queued
  /// The bounded queue is full; the message is dropped.
  case overflow
  /// The socket is closing or closed; the message is dropped.
  case closed
}

/// The listener of a socket, e.g. a `Connection`. Every call comes on the socket's loop, one at a time, never from inside a
/// call to the ``Socket``.
package protocol SocketHandler: AnyObject, Sendable {
  /// The socket is open. The first call, once; not made where ``socketRefused(_:)`` is.
  func socketOpened(_ socket: any Socket)

  /// A connection that was dialled did not open. The only call then, but for `socketHeardAnswer(_:)`.
  func socketRefused(_ failure: DialFailure)

  /// Whether `socketHeardAnswer(_:)` is wanted, which costs the reading of every field.
  var wantsAnswer: Bool { get }

  /// The server's answer to the upgrade, before ``socketOpened(_:)`` or ``socketRefused(_:)``: the fields of a 101, or a whole
  /// refusal. A body above 64 KiB is left out.
  func socketHeardAnswer(_ answer: HTTPResponse)

  /// Messages had to wait for the peer to read, and now at most ``SocketRoom/drainedBytes`` wait.
  func socketDrained()

  /// Whether a text message may hold any bytes. By RFC 6455 section 8.1 one that is no UTF-8 ends the connection, but
  /// there are clients that send all their bytes so.
  var takesBytesAsText: Bool { get }

  /// A whole message. The bytes are good only for the length of the call.
  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind)

  /// A pong, wanted or not.
  func socketReceivedPong()

  /// The same, with the payload of the pong; the bytes are good only for the length of the call. The usual one calls
  /// ``socketReceivedPong()``.
  func socketReceivedPong(_ payload: UnsafeRawBufferPointer)

  /// A ping (RFC 6455 section 5.5.2), which the transport answers itself. Called when the pong is sent: a message in
  /// the same segment may be reported before it, and several pings in one segment may be reported as one.
  func socketReceivedPing()

  /// The same, with the ping's payload if the transport does not answer pings, and else without. The usual one calls
  /// ``socketReceivedPing()``.
  func socketReceivedPing(_ payload: UnsafeRawBufferPointer)

  /// The peer broke a rule of RFC 6455 or a limit; the transport is closing the socket with `reason` already.
  func socketViolated(_ reason: CloseReason)

  /// The text of the peer's close frame, where there is one; ``socketClosed(_:)`` follows.
  func socketHeardGoodbye(_ text: String)

  /// The end, once: the code of the peer's close frame (1005 if it had none), nil if the transport ended without one.
  func socketClosed(_ peerCode: UInt16?)
}

// The defaults of a handler.

extension SocketHandler {
  package var takesBytesAsText: Bool { false }

  package var wantsAnswer: Bool { false }

  package func socketHeardAnswer(_ answer: HTTPResponse) {}

  package func socketDrained() {}

  package func socketReceivedPong(_ payload: UnsafeRawBufferPointer) { socketReceivedPong() }

  package func socketReceivedPing(_ payload: UnsafeRawBufferPointer) { socketReceivedPing() }

  package func socketHeardGoodbye(_ text: String) {}
}
