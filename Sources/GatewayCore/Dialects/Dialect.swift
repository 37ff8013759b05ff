/// One vendor's wire format, the server's side: bytes to meaning and back, and nothing else. It has no state:
/// one reads `PING{"id":1}`, for instance, as ``InboundMessage/ping(request:)`` and never knows who sent it.
package protocol Dialect: Sendable {
  /// The stable name: label of metrics, value of flags.
  var name: String { get }

  /// Whether the dialect speaks on sockets opened at this request.
  func accepts(_ upgrade: HTTPRequest) -> Bool

  /// The path that its sockets are opened at, for whoever is told where to connect; nil where another answer says so.
  var socketPath: String? { get }

  /// Whether the path is one of the dialect's, so that it words the refusal where no route has it. Of several that
  /// say so it is the last: the plain one, which comes first, has what the others leave.
  func owns(path: String) -> Bool

  /// The application that a request names, an upgrade or another of the dialect's: an API key in its query, say. Nil for
  /// none.
  func application(in request: HTTPRequest) -> String?

  /// Whether credentials of the upgrade that are no good are refused with an HTTP status in place of the 101, or with
  /// an ``OutboundMessage/loginRefused(_:request:)`` after it.
  var refusesBeforeUpgrade: Bool { get }

  /// Whether a ping of the protocol (RFC 6455 section 5.5.2) from a client that is logged in is answered with an
  /// ``OutboundMessage/pong(request:)`` of the dialect's own, beside the protocol's.
  var answersProtocolPings: Bool { get }

  /// Whether clients send bytes in frames of text: RFC 6455 section 8.1 forbids it, and one SDK does.
  var takesBytesAsText: Bool { get }

  /// Whether a refresh request of the same cause, and the same whole milliseconds of time-out, is the same words for every
  /// connection, with nothing ahead of them, so that they are put together once for all who are asked in one go. False
  /// unless said otherwise.
  var asksAllAlike: Bool { get }

  /// The subprotocol to choose, one of those offered; nil for none.
  func subprotocol(for upgrade: HTTPRequest) -> String?

  /// The credentials that came with the upgrade, nil if there are none.
  func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials?

  /// What of the upgrade the ``Authenticator`` is told with every token that the connection presents, the first and those
  /// of refreshes: an application's key that stands only in the query, say. Nil for nothing.
  func details(of upgrade: HTTPRequest) -> Baggage?

  /// What remembers a connection, and speaks for it in place of the dialect, where what is said hangs on what was said before;
  /// nil where every message says all by itself.
  func conversation(for upgrade: HTTPRequest) -> (any Conversation)?

  /// What `payload` says; nil for what the dialect passes over in silence. Throws what to answer if it says nothing the
  /// dialect knows; ``GatewayError/unsupportedData`` for a kind of frame it does not speak, which ends the connection.
  func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage?

  /// A frame that goes out ahead of what ``encode(_:_:)`` makes of the message, where the wire has two for one of the
  /// gateway's; nil for none.
  func prelude(to message: OutboundMessage, _ context: DialectContext) -> Frame?

  /// The message on the wire; nil if the dialect has no words for it.
  func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame?

  /// What of a message, in whichever direction it went, may be seen by whoever looks for a fault in a client: its text with
  /// every secret in it blanked, a token for instance or a session key; nil to show nothing. A message that
  /// ``decode(_:_:_:)`` made nothing of is not understood: what is a secret in it can only be guessed.
  func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String?

  /// What the close frame says where the gateway's reason is `reason`: the same, or the wire's own code and text.
  func closeReason(for reason: CloseReason) -> CloseReason

  /// The error over HTTP, with the fields that belong to its status.
  func response(for error: GatewayError) -> HTTPResponse
}

/// The state of a connection that a dialect may know while it reads and writes for it: whether a message is its login
/// or a refresh, for instance.
package struct DialectContext: Hashable, Sendable {
  package var connection: ConnectionID
  package var isLoggedIn: Bool
  /// Whether it has presented a token to log in with, which is being judged.
  package var isAuthenticating: Bool
  /// How long the token it is logged in with lives yet, not positive once it has expired; nil for ever, and before login.
  package var expiresIn: Duration?
  /// Whether it has been asked for another token because its own was revoked, and has not presented one.
  package var isRevoked: Bool
  package var now: WallTime

  package init(
    connection: ConnectionID, isLoggedIn: Bool, isAuthenticating: Bool = false, expiresIn: Duration? = nil,
    isRevoked: Bool = false, now: WallTime
  ) {
    self.connection = connection
    self.isLoggedIn = isLoggedIn
    self.isAuthenticating = isAuthenticating
    self.expiresIn = expiresIn
    self.isRevoked = isRevoked
    self.now = now
  }

  /// Whether the token it is logged in with has expired.
  package var hasExpired: Bool { expiresIn.map { $0 <= .zero } ?? false }
}

// What holds for a dialect that says nothing else.

extension Dialect {
  package var socketPath: String? { nil }
  package func application(in request: HTTPRequest) -> String? { nil }
  package var refusesBeforeUpgrade: Bool { true }
  package var answersProtocolPings: Bool { false }
  package var takesBytesAsText: Bool { false }
  package var asksAllAlike: Bool { false }
  package func prelude(to message: OutboundMessage, _ context: DialectContext) -> Frame? { nil }
  package func subprotocol(for upgrade: HTTPRequest) -> String? { nil }
  package func details(of upgrade: HTTPRequest) -> Baggage? { nil }
  package func conversation(for upgrade: HTTPRequest) -> (any Conversation)? { nil }
  package func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? { nil }
  package func closeReason(for reason: CloseReason) -> CloseReason { reason }
}
