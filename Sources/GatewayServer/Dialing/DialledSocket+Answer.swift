internal import GatewayCore
internal import GatewayRuntime

// The answer to the upgrade, for a handler that wants all of it.

extension DialledSocket {
  /// The maximum number of bytes of a refusal's body.
  private static let refusalBytesMax = 64 << 10

  /// Tells the handler the head of a 101.
  func tellAnswer(_ head: UnsafeRawBufferPointer) {
    var parser = HTTPResponseParser(isHead: true, allowsUpgrade: true)
    if case .complete = parser.consume(head) { handler?.socketHeardAnswer(parser.response) }
  }

  /// Continues reading a refusal, and ends when it is complete.
  func takeRefusal(_ bytes: UnsafeRawBufferPointer) {
    var parser = opening?.refusal ?? HTTPResponseParser(isHead: false, bodyBytesMax: Self.refusalBytesMax)
    opening?.refusal = nil
    let step = parser.consume(bytes)
    guard step == .needsMore else { return refused(by: parser, step) }
    opening?.refusal = parser
  }

  /// Handles the end of the transport, which may be that of a refusal.
  func transportEnds() {
    guard var parser = opening?.refusal else { return finish() }
    opening?.refusal = nil
    let step = parser.end()
    refused(by: parser, step)
  }

  private func refused(by parser: HTTPResponseParser, _ step: HTTPResponseParser.Step) {
    var answer = parser.response
    if step != .complete {
      // A part of a body means something else than the whole.
      answer.body = []
      answer.headers.removeAll { $0.name == "content-encoding" || $0.name == "content-type" }
    }
    if answer.status != 0 { handler?.socketHeardAnswer(answer) }
    finish()
  }
}
