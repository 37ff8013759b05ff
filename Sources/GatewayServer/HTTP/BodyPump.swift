internal import GatewayCore
internal import GatewayRuntime

/// A connection that writes a streamed body.
protocol BodyWriter: AnyObject {
  var loop: SocketLoop { get }
  /// Whether it takes another piece.
  var hasRoom: Bool { get }

  func write(piece: [UInt8])
  /// Called once after the last piece.
  ///
  /// - Parameter isCut: Whether the body ended before it was complete.
  func sourceEnded(isCut: Bool)
}

/// Moves a streamed body from its source to a connection. It asks the source for the next piece whenever the connection has
/// room for it.
///
/// Its task owns it, and it owns the connection until either is over. A source that ignores the cancellation of its task keeps
/// no connection alive.
///
/// `@unchecked Sendable`: touched only on the loop, where its task runs.
class BodyPump: @unchecked Sendable {
  let source: HTTPStream
  /// The connection; nil before the start, and once the source is not asked any more.
  private var writer: (any BodyWriter)?
  private var task: Task<Void, Never>?
  private var waiting: CheckedContinuation<Void, Never>?

  init(_ source: HTTPStream) { self.source = source }

  func start(on writer: any BodyWriter) {
    self.writer = writer
    let loop = writer.loop
    task = loop.serving.assumeIsolated { actor in
      Task.immediate(executorPreference: loop.events) {
        _ = actor
        await self.run()
      }
    }
    // The connection may have ended before there was a task to cancel.
    if self.writer == nil { task?.cancel() }
  }

  private nonisolated(nonsending) func run() async {
    while writer != nil {
      guard let piece = await source.next() else {
        // A cancelled task gets no more pieces of a body that goes on.
        writer?.sourceEnded(isCut: source.isCut())
        return
      }
      writer?.write(piece: piece)
      await others()
    }
  }

  /// Suspends until others have had their turn and the connection has room.
  private nonisolated(nonsending) func others() async {
    guard let loop = writer?.loop else { return }
    await withCheckedContinuation { continuation in
      waiting = continuation
      loop.events.execute { self.goOn() }
    }
  }

  /// Resumes the request to the source, if it waits and there is room.
  func goOn() {
    guard let waiting, writer?.hasRoom != false else { return }
    self.waiting = nil
    waiting.resume()
  }

  /// Stops asking the source, and resumes the waiting task.
  func cancel() {
    writer = nil
    task?.cancel()
    goOn()
  }
}

/// The streamed body of an answer.
///
/// `@unchecked Sendable`: used on one loop.
final class StreamedAnswer: BodyPump, @unchecked Sendable {
  /// Whether the peer has ended its half of the connection.
  var peerHasEnded = false
}
