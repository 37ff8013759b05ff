/// The state of one connection on the gateway, for a wire without code of its own, e.g. an incomplete line. It encodes
/// and decodes for the connection instead of its ``Dialect``.
///
/// Used only on the loop of its connection.
package protocol Conversation: AnyObject, Sendable {
  /// Returns the gateway's first messages, which it sends when the socket is open.
  func greeting(_ context: DialectContext) -> [Frame]

  /// Returns the messages that a frame completes; an incomplete rest is kept.
  func messages(in payload: UnsafeRawBufferPointer) -> [[UInt8]]

  /// Returns the meaning of a message; nil for one that is ignored.
  func decode(_ message: [UInt8], _ context: DialectContext) -> InboundMessage?

  /// Returns the meaning of a frame that has not been received yet. Changes no state.
  func foresee(_ payload: UnsafeRawBufferPointer, _ context: DialectContext) -> InboundMessage?

  /// Returns the answer to a message for which ``decode(_:_:)`` has no meaning. Empty for a message that needs no
  /// answer; nil for one without an answer, about which the operator is warned.
  func answer(to message: [UInt8], _ context: DialectContext) -> [Frame]?

  /// Returns the frames of a message.
  func encode(_ message: OutboundMessage, _ context: DialectContext) -> [Frame]

  /// Has the session's answer to a token that its client did not send passed to `answer`: the error, or nil if the token is
  /// accepted. Returns the name of the request; nil if the wire has no such tokens, or too many are pending.
  ///
  /// `answer` is called once, in any case.
  func expect(_ token: Credentials, _ answer: @escaping @Sendable (GatewayError?) -> Void) -> RequestID?

  /// Notes that the connection is over: nothing that is expected will come.
  func ended()

  /// Returns the frames that ask a client for a sign of life; none for a ping of the protocol (RFC 6455 section 5.5.2).
  func ping(_ context: DialectContext) -> [Frame]

  /// Returns the frames that precede the close frame; none on most wires.
  func farewell(before reason: CloseReason, _ context: DialectContext) -> [Frame]

  /// Returns the close code that depends on the last message of this connection; nil for the dialect's own code.
  func closeReason(for reason: CloseReason) -> CloseReason?

  /// The time of the last such ping. The next follows after the whole interval, regardless of messages received since.
  var askedAt: Instant? { get set }
}
