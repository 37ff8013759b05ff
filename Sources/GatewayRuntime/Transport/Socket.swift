package import GatewayCore

/// One open WebSocket, of a gateway or a client. Only on its loop.
///
/// The loop's transport owns it and tells its ``SocketHandler`` what arrives. After ``SocketHandler/socketClosed(_:)`` every
/// call here does nothing.
package protocol Socket: AnyObject, Sendable {
  /// Sends a message: at once if nothing waits before it, else behind what does.
  func send(_ frame: Frame) -> SendOutcome

  /// Sends a ping (RFC 6455 section 5.5.2).
  func ping()

  /// Sends the close frame after what waits, then waits for the peer's. The handler hears of the end.
  func close(_ reason: CloseReason)

  /// What was done instead of the last `close(_:)`; nil if it was carried out.
  var otherClose: OtherClose? { get }

  /// Drops the transport without a close frame. The handler hears of the end, after this call has returned.
  func abort()

  // The faults of a gateway towards its clients, and of a network.

  /// Drops the transport with a TCP reset: what waits is lost, and over TLS nobody says goodbye either. The handler hears
  /// of the end, after this call has returned.
  func reset()

  /// Takes nothing from the peer any more, no message, no ping and so no pong, no close frame, until ``goOnReading()``.
  /// Meanwhile its bytes stay with the system; a peer whose transport ends is noticed soon, and what it left there is lost.
  func stopReading()

  /// Takes from the peer again, first what was left.
  func goOnReading()

  /// Whether the transport answers pings, as RFC 6455 section 5.5.2 wants it. The handler is told of them all the same.
  var answersPings: Bool { get set }

  /// Whether a close frame has what must follow it: ours, if the peer's was the first, and the end of the transport. If
  /// not, the handler hears of the end as ever, and the peer of nothing until it goes itself, or it has waited for 15 s.
  var answersClose: Bool { get set }

  /// The address of the peer, as text.
  var peer: String { get }

  /// When the transport accepted the connection, or began to dial.
  var acceptedAt: Instant { get }
}

/// A close by a faulty gateway instead of the one that was ordered: another code, or no frame at all.
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

  /// A connection that was dialled did not open. The only call then.
  func socketRefused(_ failure: DialFailure)

  /// Whether a text message may hold any bytes. By RFC 6455 section 8.1 one that is no UTF-8 ends the connection, but
  /// there are clients that send all their bytes so.
  var takesBytesAsText: Bool { get }

  /// A whole message. The bytes are good only for the length of the call.
  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind)

  /// A pong, wanted or not.
  func socketReceivedPong()

  /// A ping (RFC 6455 section 5.5.2), whose pong the transport sends itself. Told when the pong goes out: a message that
  /// came in the same segment may be told before it, and of several pings in one segment perhaps only one is.
  func socketReceivedPing()

  /// The peer broke a rule of RFC 6455 or a limit; the transport is closing the socket with `reason` already.
  func socketViolated(_ reason: CloseReason)

  /// The text of the peer's close frame, where there is one; ``socketClosed(_:)`` follows. Whoever serves is not told.
  func socketHeardGoodbye(_ text: String)

  /// The end, once: the code of the peer's close frame (1005 if it had none), nil if the transport ended without one.
  func socketClosed(_ peerCode: UInt16?)
}

// The defaults of a handler.

extension SocketHandler {
  package var takesBytesAsText: Bool { false }

  package func socketHeardGoodbye(_ text: String) {}
}
