internal import GatewayCore
internal import GatewayRuntime

/// The streamed body of a request, on its way from its source to the connection that sends it.
///
/// It asks its source for the next piece when less than 16 KiB of the last waits for the server. Its task owns it.
///
/// `@unchecked Sendable`: used on one loop, where its task runs.
final class OutgoingBody: @unchecked Sendable {
  private static let roomBytes = 16 << 10
  private static let lastChunk: [UInt8] = Array("0\r\n\r\n".utf8)

  private let source: HTTPStream
  private let isChunked: Bool
  /// The bytes to send, from `sent` on.
  private var output: [UInt8] = []
  private var sent = 0
  /// Whether the source has ended.
  private var isWhole = false
  /// The connection; nil before the start and after the end.
  private var connection: FetchConnection?
  private var task: Task<Void, Never>?
  private var waiting: CheckedContinuation<Void, Never>?

  /// Creates the body of a request; nil if the request has no streamed body. Without a length it is sent in chunks.
  init?(of request: HTTPRequest) {
    guard let source = request.stream else { return nil }
    self.source = source
    isChunked = request.header("content-length") == nil
  }

  /// Starts to ask the source.
  func start(on connection: FetchConnection) {
    self.connection = connection
    let loop = connection.loop
    task = loop.serving.assumeIsolated { actor in
      Task.immediate(executorPreference: loop.events) {
        _ = actor
        await self.run()
      }
    }
    // The connection may have ended before there was a task to cancel.
    if self.connection == nil { task?.cancel() }
  }

  private nonisolated(nonsending) func run() async {
    while connection != nil {
      guard let piece = await source.next() else { return end() }
      add(piece)
      connection?.sendBody()
      await others()
    }
  }

  private func end() {
    // A cancelled task gets no more pieces of a body that goes on.
    guard connection != nil else { return }
    if source.isCut() {
      connection?.bodyIsCut()
    } else {
      isWhole = true
      if isChunked { output += Self.lastChunk }
      connection?.sendBody()
    }
  }

  private func add(_ piece: [UInt8]) {
    // An empty chunk would be the last one (RFC 9112 section 7.1).
    guard !piece.isEmpty else { return }
    if sent > 0 {
      output.removeFirst(sent)
      sent = 0
    }
    guard isChunked else {
      if output.isEmpty { output = piece } else { output += piece }
      return
    }
    output.reserveCapacity(output.count + piece.count + 16)
    output += String(piece.count, radix: 16).utf8
    output += [0x0d, 0x0a]
    output += piece
    output += [0x0d, 0x0a]
  }

  /// Suspends until others have had their turn and there is room.
  private nonisolated(nonsending) func others() async {
    guard let loop = connection?.loop else { return }
    await withCheckedContinuation { continuation in
      waiting = continuation
      loop.events.execute { self.goOn() }
    }
  }

  // MARK: The connection's side

  var hasOutput: Bool { sent < output.count }

  /// Whether the whole body was passed to the system.
  var isSent: Bool { isWhole && !hasOutput }

  /// Passes the waiting bytes to `move`, which returns how it went.
  func withOutput(_ move: (UnsafeRawBufferPointer) -> TLSClient.Step) -> TLSClient.Step {
    output.withUnsafeBytes { move(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
  }

  func note(sent count: Int) {
    sent += count
    guard !hasOutput else { return }
    output = []
    sent = 0
  }

  /// Resumes the request to the source, if it waits and there is room.
  func goOn() {
    guard let waiting, connection == nil || output.count - sent < Self.roomBytes else { return }
    self.waiting = nil
    waiting.resume()
  }

  /// Stops asking the source.
  func cancel() {
    connection = nil
    task?.cancel()
    goOn()
  }
}
