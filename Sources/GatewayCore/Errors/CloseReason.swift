/// The reason for the end of a connection: the close frame's code and text, and whether the client may reconnect.
///
/// The range of a private code carries the policy, so that an old client handles a new code correctly. After 4000 to
/// 4499 a client may reconnect (with a new token where the name says so), after 4500 to 4999 it must not.
package struct CloseReason: Hashable, Sendable {
  /// The code in the close frame (RFC 6455 section 7.4); 1006 if there was none.
  package let code: UInt16
  /// The stable name: the text of the close frame and the label of the metric. At most 123 UTF-8 bytes.
  package let name: String

  /// Creates an operator's own reason; nil if the code may not be sent in a close frame or the text does not fit into
  /// one.
  package init?(code: UInt16, name: String) {
    guard Self.maySend(code), name.utf8.count <= 123 else { return nil }
    self.init(code, name)
  }

  private init(_ code: UInt16, _ name: String) {
    self.code = code
    self.name = name
  }

  /// Whether the client may connect again.
  package var mayReconnect: Bool {
    switch code {
    case 1000, 1002, 1003, 1007...1010, 4500...4999: false
    default: true
    }
  }

  /// Returns whether RFC 6455 section 7.4 lets an endpoint send `code` in a close frame.
  package static func maySend(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  package static let normal = CloseReason(1000, "normal")
  package static let goingAway = CloseReason(1001, "going_away")
  package static let protocolError = CloseReason(1002, "protocol_error")
  package static let unsupportedData = CloseReason(1003, "unsupported_data")
  package static let invalidPayload = CloseReason(1007, "invalid_payload")
  package static let policyViolation = CloseReason(1008, "policy_violation")
  package static let messageTooBig = CloseReason(1009, "message_too_big")
  package static let internalError = CloseReason(1011, "internal_error")
  /// The gateway drains; the client should reconnect to another node.
  package static let serviceRestart = CloseReason(1012, "service_restart")
  package static let overloaded = CloseReason(1013, "overloaded")

  /// The refresh timeout passed without an acceptable token.
  package static let refreshTimeout = CloseReason(4000, "refresh_timeout")
  /// The login timeout passed without credentials.
  package static let loginTimeout = CloseReason(4001, "login_timeout")
  /// The peer answered no ping: a half-open socket.
  package static let livenessTimeout = CloseReason(4002, "liveness_timeout")
  /// The peer reads slower than the gateway writes.
  package static let slowConsumer = CloseReason(4003, "slow_consumer")
  /// The token was revoked; the client may reconnect with another.
  package static let tokenRevoked = CloseReason(4004, "token_revoked")
  /// An operator ended the connection.
  package static let disconnected = CloseReason(4005, "disconnected")

  /// The credentials were refused.
  package static let invalidToken = CloseReason(4500, "invalid_token")
  /// Anonymous users may not open a WebSocket.
  package static let anonymousRefused = CloseReason(4501, "anonymous_refused")
  /// Too many refused refreshes, or too many malformed messages.
  package static let tooManyFailures = CloseReason(4502, "too_many_failures")

  /// A close frame without a code (RFC 6455 section 7.1.5).
  package static let withoutCode = CloseReason(1005, "")

  /// The peer sent a close frame first.
  package static let peerClosed = CloseReason(1000, "peer_closed")
  /// The transport ended without a close frame.
  package static let connectionLost = CloseReason(1006, "connection_lost")
  /// The peer never finished the closing handshake.
  package static let closeTimeout = CloseReason(1006, "close_timeout")

  /// The reasons that the gateway itself gives, for documentation and for metrics that must know their labels.
  package static let all: [CloseReason] = [
    .normal, .goingAway, .protocolError, .unsupportedData, .invalidPayload, .policyViolation, .messageTooBig,
    .internalError, .serviceRestart, .overloaded, .refreshTimeout, .loginTimeout, .livenessTimeout, .slowConsumer,
    .tokenRevoked, .disconnected, .invalidToken, .anonymousRefused, .tooManyFailures, .peerClosed, .connectionLost,
    .closeTimeout,
  ]

  /// The name of each of these codes, e.g. for a client's report.
  package static let names = [UInt16: String](
    all.filter { $0 != .peerClosed }.map { ($0.code, $0.name) }, uniquingKeysWith: { first, _ in first })
}
