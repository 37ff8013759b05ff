/// The server's side of one vendor's wire format, which translates frames into messages and back. It has no state. E.g.
/// a dialect reads `PING{"id":1}` as ``InboundMessage/ping(request:)``.
package protocol Dialect: Sendable {
  /// The stable name: the label of metrics and the value of flags.
  var name: String { get }

  /// Returns whether the dialect is spoken on sockets opened by this request.
  func accepts(_ upgrade: HTTPRequest) -> Bool

  /// The path at which its sockets are opened, for answers that tell a client where to connect; nil if another answer
  /// does.
  var socketPath: String? { get }

  /// Returns whether the path belongs to the dialect, which then formats the error if no route has the path. If several
  /// dialects own a path, the last one formats it: the plain dialect comes first and covers the paths of no other.
  func owns(path: String) -> Bool

  /// Returns the application that an upgrade or another request of the dialect names, e.g. an API key in its query. Nil
  /// for none.
  func application(in request: HTTPRequest) -> String?

  /// Whether invalid credentials in the upgrade are refused with an HTTP status instead of the 101. If not, an
  /// ``OutboundMessage/loginRefused(_:request:)`` follows the 101.
  var refusesBeforeUpgrade: Bool { get }

  /// Whether a protocol ping (RFC 6455 section 5.5.2) from a logged-in client is answered with the dialect's own
  /// ``OutboundMessage/pong(request:)`` in addition to the protocol's.
  var answersProtocolPings: Bool { get }

  /// Whether clients send binary data in text frames: RFC 6455 section 8.1 forbids it, but one SDK does so.
  var takesBytesAsText: Bool { get }

  /// Whether refresh requests with the same cause and timeout (in whole milliseconds) are the same bytes for every
  /// connection, without a prelude. They are then encoded once for all connections that are asked together. False by
  /// default.
  var asksAllAlike: Bool { get }

  /// Whether the application's own backend may judge its clients in place of a token, and send them data with the answer to
  /// their login, as JSON in ``VerifiedToken/welcome``. False by default.
  var letsApplicationJudge: Bool { get }

  /// How clients renew their tokens; nil, the default, if they may choose.
  var renewal: RefreshHabit.How? { get }

  /// Returns what a close with that code and text means to clients; nil, the default, if the wire does not say.
  func meaning(ofClose code: UInt16, _ text: String?) -> ReturnVerdict?

  /// Returns the subprotocol to choose among those offered; nil for none.
  func subprotocol(for upgrade: HTTPRequest) -> String?

  /// Returns the credentials in the upgrade; nil if there are none.
  func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials?

  /// Returns data of the upgrade for the ``Authenticator``, e.g. an application's key that is only in the query. The
  /// ``Authenticator`` gets it with every token of the connection, the first and each refresh. Nil for none.
  func details(of upgrade: HTTPRequest) -> Baggage?

  /// Returns an object that keeps state for a connection, and encodes and decodes for it instead of the dialect. Nil if
  /// no message depends on an earlier one.
  func conversation(for upgrade: HTTPRequest) -> (any Conversation)?

  /// Decodes `payload`; returns nil for a message that the dialect ignores silently. Throws the error to answer with if
  /// the message is unknown. ``GatewayError/unsupportedData``, for an unknown kind of frame, ends the connection.
  func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage?

  /// Returns a frame to send before the one of ``encode(_:_:)``, where the wire has two messages for one of the
  /// gateway's; nil for none.
  func prelude(to message: OutboundMessage, _ context: DialectContext) -> Frame?

  /// Returns the frame of a message; nil if the dialect cannot express it.
  func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame?

  /// Returns an operator's message as the wire has it, e.g. JSON text in a wire's own encoding. By default it is unchanged.
  func worded(_ frame: Frame) -> Frame

  /// Returns the text of a message in either direction, for debugging a client, with every secret in it blanked, e.g. a
  /// token or a session key. Nil to show nothing. If ``decode(_:_:_:)`` could not decode the message, it is not
  /// understood, and its secrets can only be guessed.
  func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String?

  /// Returns the reason for the close frame: the gateway's `reason`, or the wire's own code and text for it.
  func closeReason(for reason: CloseReason) -> CloseReason

  /// Returns the error over HTTP, with the fields that belong to its status.
  func response(for error: GatewayError) -> HTTPResponse
}

/// The state of a connection that a dialect may use to decode and encode for it.
package struct DialectContext: Hashable, Sendable {
  package var connection: ConnectionID
  package var isLoggedIn: Bool
  /// Whether the connection has presented a token to log in with, which is being verified.
  package var isAuthenticating: Bool
  /// The remaining life of the connection's token, zero or negative once it has expired; nil if it never expires, and
  /// before login.
  package var expiresIn: Duration?
  /// Whether another token was requested because the connection's own was revoked, and none has been presented.
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

  /// Whether the connection's token has expired.
  package var hasExpired: Bool { expiresIn.map { $0 <= .zero } ?? false }
}

// The defaults of a dialect.

extension Dialect {
  package var socketPath: String? { nil }
  package func application(in request: HTTPRequest) -> String? { nil }
  package var refusesBeforeUpgrade: Bool { true }
  package var answersProtocolPings: Bool { false }
  package var takesBytesAsText: Bool { false }
  package var asksAllAlike: Bool { false }
  package var letsApplicationJudge: Bool { false }
  package var renewal: RefreshHabit.How? { nil }
  package func meaning(ofClose code: UInt16, _ text: String?) -> ReturnVerdict? { nil }
  package func worded(_ frame: Frame) -> Frame { frame }
  package func prelude(to message: OutboundMessage, _ context: DialectContext) -> Frame? { nil }
  package func subprotocol(for upgrade: HTTPRequest) -> String? { nil }
  package func details(of upgrade: HTTPRequest) -> Baggage? { nil }
  package func conversation(for upgrade: HTTPRequest) -> (any Conversation)? { nil }
  package func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? { nil }
  package func closeReason(for reason: CloseReason) -> CloseReason { reason }
}
