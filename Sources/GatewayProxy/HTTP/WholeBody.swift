internal import GatewayCore

/// The reading of a streamed answer into one piece.
enum WholeBody {
  /// Reads the body of an answer. Returns false if it is larger or has ended too early; the answer then has the same stream
  /// again.
  static nonisolated(nonsending) func read(_ answer: inout HTTPResponse, atMost size: Int) async -> Bool {
    guard let stream = answer.stream else { return answer.body.count <= size }
    var body: [UInt8] = []
    while let piece = await stream.next() {
      body += piece
      if body.count > size {
        answer.stream = again(body, before: stream)
        return false
      }
    }
    guard !stream.isCut() else {
      answer.stream = again(body, before: stream)
      return false
    }
    (answer.body, answer.stream, answer.contentLength) = (body, nil, nil)
    return true
  }

  private static func again(_ body: [UInt8], before stream: HTTPStream) -> HTTPStream {
    let first = First(body)
    return HTTPStream(endsByItself: stream.endsByItself, isCut: stream.isCut) {
      if let body = first.take() { return body }
      return await stream.next()
    }
  }

  /// The piece that was read already.
  ///
  /// `@unchecked Sendable`: used only on the loop that reads the answer.
  private final class First: @unchecked Sendable {
    private var body: [UInt8]?

    init(_ body: [UInt8]) { self.body = body.isEmpty ? nil : body }

    func take() -> [UInt8]? {
      defer { body = nil }
      return body
    }
  }
}
