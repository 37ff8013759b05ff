internal import GatewayCore
internal import GatewayRuntime

/// An answer with a streamed body. It asks its source for the next piece whenever the connection has room for it.
///
/// Its task owns it, and it owns the connection until either is over. A source that ignores the cancellation of its task keeps
/// no connection alive.
///
/// `@unchecked Sendable`: touched only on the loop, where its task runs.
final class StreamedAnswer: @unchecked Sendable {
  let source: HTTPStream
  /// Whether the peer has ended its half of the connection.
  var peerHasEnded = false
  /// The connection; nil once the source is not asked any more.
  private var connection: ServerConnection?
  private var task: Task<Void, Never>?
  private var waiting: CheckedContinuation<Void, Never>?

  init(_ source: HTTPStream, on connection: ServerConnection) {
    self.source = source
    self.connection = connection
  }

  func start() {
    guard let loop = connection?.loop else { return }
    task = loop.serving.assumeIsolated { actor in
      Task.immediate(executorPreference: loop.events) {
        _ = actor
        await self.run()
      }
    }
    // The connection may have ended before there was a task to cancel.
    if connection == nil { task?.cancel() }
  }

  private nonisolated(nonsending) func run() async {
    while connection != nil {
      let piece = await source.next()
      guard let piece else {
        if source.isCut() { connection?.end() } else { connection?.endBody() }
        return
      }
      connection?.write(piece: piece)
      await others()
    }
  }

  /// Suspends until others have had their turn and the connection has room.
  private nonisolated(nonsending) func others() async {
    guard let loop = connection?.loop else { return }
    await withCheckedContinuation { continuation in
      waiting = continuation
      loop.events.execute { self.goOn() }
    }
  }

  /// Resumes the request to the source, if it waits and there is room.
  func goOn() {
    guard let waiting, connection?.hasRoom != false else { return }
    self.waiting = nil
    waiting.resume()
  }

  /// Stops asking the source, and resumes the waiting task.
  func cancel() {
    connection = nil
    task?.cancel()
    goOn()
  }
}
