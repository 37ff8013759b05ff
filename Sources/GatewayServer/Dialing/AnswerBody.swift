package import GatewayCore
package import GatewayRuntime

/// The body of a forwarded answer, on its way from the connection to its reader. It holds little more than one read.
///
/// `@unchecked Sendable`: used on one loop.
final class AnswerBody: @unchecked Sendable {
  /// The longest wait for a connection, and for the head of the answer, and how often it is asked whether the caller has left.
  static let connectTimeout = Duration.seconds(10)
  static let headTimeout = Duration.seconds(900)
  static let callerInterval = Duration.seconds(1)
  /// If more bytes than this wait, no more are read until the reader has taken them.
  private static let roomBytes = 64 << 10

  /// The caller that waits for the answer.
  let caller: (any HTTPCaller)?
  /// The connection that reads the body; nil before it starts and after its end.
  var connection: FetchConnection?
  private let loop: EventLoop
  private var bytes: [UInt8] = []
  private var isOver = false
  private var isCut = false
  private var waiting: CheckedContinuation<Void, Never>?

  init(for caller: (any HTTPCaller)?, on loop: EventLoop) {
    self.caller = caller
    self.loop = loop
  }

  var isFull: Bool { bytes.count >= Self.roomBytes }

  func add(_ more: [UInt8]) {
    guard !more.isEmpty else { return }
    if bytes.isEmpty { bytes = more } else { bytes += more }
    wake()
  }

  func end(isCut: Bool) {
    isOver = true
    self.isCut = isCut
    wake()
  }

  /// Returns the answer with this as its body.
  func answer(with head: HTTPResponse, length: Int?) -> HTTPResponse {
    var answer = head
    let reader = Reader(self)
    let isFeed = head.header("content-type").map { $0.utf8.starts(with: "text/event-stream".utf8) } ?? false
    answer.contentLength = length
    answer.stream = HTTPStream(endsByItself: !isFeed, isCut: { reader.body.isCut }) { await reader.body.next() }
    return answer
  }

  /// Returns the answer that is complete already.
  func whole(_ answer: HTTPResponse, length: Int?) -> HTTPResponse {
    var answer = answer
    guard answer.body.isEmpty else { return answer }
    answer.contentLength = length
    // A HEAD's answer also has this field, although it has no body.
    if answer.header("transfer-encoding") != nil { answer.stream = HTTPStream(endsByItself: true) { nil } }
    return answer
  }

  private func wake() {
    guard let waiting else { return }
    self.waiting = nil
    waiting.resume()
  }

  private nonisolated(nonsending) func next() async -> [UInt8]? {
    while true {
      if !bytes.isEmpty {
        let wasFull = isFull
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        if wasFull { connection?.goOnReceiving() }
        return taken
      }
      if isOver || Task.isCancelled { return nil }
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiting = $0 }
      } onCancel: {
        loop.execute { self.wake() }
      }
    }
  }

  /// The reader of a body. The connection ends when it is released.
  private final class Reader: Sendable {
    let body: AnswerBody

    init(_ body: AnswerBody) { self.body = body }

    deinit { body.loop.execute { [body] in body.connection?.abandon() } }
  }
}

extension SocketDialer: RequestForwarder {
  package nonisolated(nonsending) func forward(
    _ request: HTTPRequest, to target: DialTarget
  ) async -> Result<HTTPResponse, DialFailure> {
    loop.events.preconditionOnLoop()
    var target = target
    // Any other request may not be repeated, so it never goes out on a connection that may be ending. A streamed one has a
    // new connection, which may be kept after it.
    target.keepsConnections = request.stream != nil || FetchConnection.isIdempotent(request)
    let body = AnswerBody(for: HTTPCall.caller, on: loop.events)
    return await withCheckedContinuation { continuation in
      FetchConnection(request, from: target, by: self, body: body) { continuation.resume(returning: $0) }
        .start(timeout: AnswerBody.connectTimeout)
    }
  }
}
