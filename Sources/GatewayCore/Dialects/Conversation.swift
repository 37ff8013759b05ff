/// A gateway's memory of one connection whose wire has no code of its own: under which number it was greeted, say, and
/// half a line that has come. It then speaks and hears in place of its ``Dialect``.
///
/// Touched only on the loop of its connection.
package protocol Conversation: AnyObject, Sendable {
  /// What the gateway says when the socket is open, before it has heard anything.
  func greeting(_ context: DialectContext) -> [Frame]

  /// The messages that end in a frame; what has not ended is kept.
  func messages(in payload: UnsafeRawBufferPointer) -> [[UInt8]]

  /// What one of them says; nil for what is passed over.
  func decode(_ message: [UInt8], _ context: DialectContext) -> InboundMessage?

  /// What a frame will say that has not been heard yet. Changes nothing.
  func foresee(_ payload: UnsafeRawBufferPointer, _ context: DialectContext) -> InboundMessage?

  /// The answer to a message for which ``decode(_:_:)`` has no meaning. Empty for one that needs no answer, nil for one
  /// that nobody answers.
  func answer(to message: [UInt8], _ context: DialectContext) -> [Frame]?

  /// The message on the wire.
  func encode(_ message: OutboundMessage, _ context: DialectContext) -> [Frame]

  /// What asks a client for a sign of life; nothing for a ping of the protocol (RFC 6455 section 5.5.2).
  func ping(_ context: DialectContext) -> [Frame]

  /// The words that precede the close frame; none on most wires.
  func farewell(before reason: CloseReason, _ context: DialectContext) -> [Frame]

  /// The close code by what was said last on this connection; nil where the dialect's own code holds.
  func closeReason(for reason: CloseReason) -> CloseReason?

  /// When a client was last asked that way: it is asked again after the whole interval, whatever it has said since.
  var askedAt: Instant? { get set }
}
