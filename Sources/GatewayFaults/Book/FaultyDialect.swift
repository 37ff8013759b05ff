internal import GatewayCore
internal import GatewayRuntime

/// A wire format that reports to the book of faults what it is encoding, and changes nothing.
struct FaultyDialect: Dialect {
  let inner: any Dialect
  let book: FaultBook

  var name: String { inner.name }
  func accepts(_ upgrade: HTTPRequest) -> Bool { inner.accepts(upgrade) }
  var socketPath: String? { inner.socketPath }
  func application(in request: HTTPRequest) -> String? { inner.application(in: request) }
  func owns(path: String) -> Bool { inner.owns(path: path) }
  var refusesBeforeUpgrade: Bool { inner.refusesBeforeUpgrade && !book.failsLogin }
  var answersProtocolPings: Bool { inner.answersProtocolPings }
  var takesBytesAsText: Bool { inner.takesBytesAsText }
  var renewal: RefreshHabit.How? { inner.renewal }
  func meaning(ofClose code: UInt16, _ text: String?) -> ReturnVerdict? { inner.meaning(ofClose: code, text) }
  func worded(_ frame: Frame) -> Frame { inner.worded(frame) }
  func subprotocol(for upgrade: HTTPRequest) -> String? { inner.subprotocol(for: upgrade) }

  func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials? {
    try inner.credentials(in: upgrade)
  }

  func details(of upgrade: HTTPRequest) -> Baggage? { inner.details(of: upgrade) }

  func conversation(for upgrade: HTTPRequest) -> (any Conversation)? {
    inner.conversation(for: upgrade).map { FaultyConversation($0, book) }
  }

  func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    try inner.decode(payload, kind, context)
  }

  func prelude(to message: OutboundMessage, _ context: DialectContext) -> Frame? {
    let frame = inner.prelude(to: message, context)
    // A frame that is sent ahead of a message is lost or delayed with it.
    if frame != nil { book.isSaying(message.meaning, isBeginning: true, to: context.connection) }
    return frame
  }

  func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? {
    book.isSaying(message.meaning, to: context.connection)
    return inner.encode(message, context)
  }

  func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? {
    inner.redacted(payload, kind, isUnderstood: isUnderstood)
  }

  func closeReason(for reason: CloseReason) -> CloseReason {
    let words = inner.closeReason(for: reason)
    book.isClosing(for: reason, in: words)
    return words
  }

  func response(for error: GatewayError) -> HTTPResponse { inner.response(for: error) }
}
