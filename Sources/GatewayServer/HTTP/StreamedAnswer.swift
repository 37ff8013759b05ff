internal import GatewayCore
internal import GatewayRuntime

/// An answer whose body goes on, a feed of events for instance: asks its source for the next piece whenever the connection
/// has room for it.
///
/// Its task holds it, and it the connection until the one or the other is over: a source that does not heed that its task
/// is cancelled keeps no connection.
///
/// `@unchecked Sendable`: touched only on the loop, where its task runs.
final class StreamedAnswer: @unchecked Sendable {
  let source: HTTPStream
  /// Whether the peer has said that nothing more comes from there.
  var peerHasEnded = false
  /// Nil once the source is not asked any more.
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
    // The connection may have ended before there was a task to be cancelled.
    if connection == nil { task?.cancel() }
  }

  private nonisolated(nonsending) func run() async {
    while connection != nil {
      let piece = await source.next()
      guard let piece else {
        connection?.endBody()
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

  /// Has the source asked again, if it waits and there is room.
  func goOn() {
    guard let waiting, connection?.hasRoom != false else { return }
    self.waiting = nil
    waiting.resume()
  }

  /// The source is not asked any more, and whoever waits in it is woken.
  func cancel() {
    connection = nil
    task?.cancel()
    goOn()
  }
}
