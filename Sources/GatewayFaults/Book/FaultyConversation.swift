import GatewayCore
internal import GatewayRuntime

/// A conversation that reports to the book of faults what it is encoding, and changes nothing.
final class FaultyConversation: Conversation {
  private let inner: any Conversation
  private let book: FaultBook

  init(_ inner: any Conversation, _ book: FaultBook) {
    self.inner = inner
    self.book = book
  }

  var askedAt: Instant? {
    get { inner.askedAt }
    set { inner.askedAt = newValue }
  }

  func greeting(_ context: DialectContext) -> [Frame] { inner.greeting(context) }

  func messages(in payload: UnsafeRawBufferPointer) -> [[UInt8]] { inner.messages(in: payload) }

  func decode(_ message: [UInt8], _ context: DialectContext) -> InboundMessage? {
    inner.decode(message, context)
  }

  func foresee(_ payload: UnsafeRawBufferPointer, _ context: DialectContext) -> InboundMessage? {
    inner.foresee(payload, context)
  }

  func answer(to message: [UInt8], _ context: DialectContext) -> [Frame]? { inner.answer(to: message, context) }

  func farewell(before reason: CloseReason, _ context: DialectContext) -> [Frame] {
    inner.farewell(before: reason, context)
  }

  func closeReason(for reason: CloseReason) -> CloseReason? { inner.closeReason(for: reason) }

  func encode(_ message: OutboundMessage, _ context: DialectContext) -> [Frame] {
    let frames = inner.encode(message, context)
    // The answer to a request over HTTP is no message.
    if !frames.isEmpty { book.isSaying(message.meaning, to: context.connection) }
    return frames
  }

  func expect(_ token: Credentials, _ answer: @escaping @Sendable (GatewayError?) -> Void) -> RequestID? {
    inner.expect(token, answer)
  }

  func ended() { inner.ended() }

  func ping(_ context: DialectContext) -> [Frame] { inner.ping(context) }
}
