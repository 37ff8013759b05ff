package import GatewayCore
internal import GatewayRuntime

/// A wire format that reports to the book of faults what it is encoding, and changes nothing.
package struct FaultyDialect: Dialect {
  let inner: any Dialect
  let book: FaultBook

  package var name: String { inner.name }
  package func accepts(_ upgrade: HTTPRequest) -> Bool { inner.accepts(upgrade) }
  package var socketPath: String? { inner.socketPath }
  package func application(in request: HTTPRequest) -> String? { inner.application(in: request) }
  package func owns(path: String) -> Bool { inner.owns(path: path) }
  package var refusesBeforeUpgrade: Bool { inner.refusesBeforeUpgrade && !book.failsLogin }
  package var answersProtocolPings: Bool { inner.answersProtocolPings }
  package var takesBytesAsText: Bool { inner.takesBytesAsText }
  package var renewal: RefreshHabit.How? { inner.renewal }
  package func meaning(ofClose code: UInt16, _ text: String?) -> ReturnVerdict? { inner.meaning(ofClose: code, text) }
  package func subprotocol(for upgrade: HTTPRequest) -> String? { inner.subprotocol(for: upgrade) }

  package func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials? {
    try inner.credentials(in: upgrade)
  }

  package func details(of upgrade: HTTPRequest) -> Baggage? { inner.details(of: upgrade) }

  package func conversation(for upgrade: HTTPRequest) -> (any Conversation)? {
    inner.conversation(for: upgrade).map { FaultyConversation($0, book) }
  }

  package func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    try inner.decode(payload, kind, context)
  }

  package func prelude(to message: OutboundMessage, _ context: DialectContext) -> Frame? {
    let frame = inner.prelude(to: message, context)
    // A frame that is sent ahead of a message is lost or delayed with it.
    if frame != nil { book.isSaying(message.meaning, isBeginning: true, to: context.connection) }
    return frame
  }

  package func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? {
    book.isSaying(message.meaning, to: context.connection)
    return inner.encode(message, context)
  }

  package func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? {
    inner.redacted(payload, kind, isUnderstood: isUnderstood)
  }

  package func closeReason(for reason: CloseReason) -> CloseReason {
    let words = inner.closeReason(for: reason)
    book.isClosing(for: reason, in: words)
    return words
  }

  package func response(for error: GatewayError) -> HTTPResponse { inner.response(for: error) }
}
