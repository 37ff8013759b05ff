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

  /// The message on the wire.
  func encode(_ message: OutboundMessage, _ context: DialectContext) -> [Frame]

  /// What asks a client for a sign of life; nothing for a ping of the protocol (RFC 6455 section 5.5.2).
  func ping(_ context: DialectContext) -> [Frame]

  /// When a client was last asked that way: it is asked again after the whole interval, whatever it has said since.
  var askedAt: Instant? { get set }
}
