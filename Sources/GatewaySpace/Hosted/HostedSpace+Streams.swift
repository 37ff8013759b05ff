package import GatewayCore
internal import GatewayRuntime

/// Streamed answers of the space, e.g. a feed of its events. A client that reads one uses the space, as a client with a
/// socket does; the answer is no request under way, so nothing waits for it.
extension HostedSpace {
  /// Returns the stream for the host: each piece is read on the inner loop, and the stream ends with the space.
  package func stream(_ inner: HTTPStream) -> HTTPStream {
    HTTPStream(endsByItself: inner.endsByItself, isCut: inner.isCut) { await self.pull(inner) }
  }

  private nonisolated(nonsending) func pull(_ inner: HTTPStream) async -> [UInt8]? {
    host.preconditionOnLoop()
    guard !isEnding else { return nil }
    lastNumber += 1
    let number = lastNumber
    let pull = loop.asCurrent { stage.begin(inner.next) }
    pulls[number] = pull
    let piece = await withTaskCancellationHandler {
      await pull.value
    } onCancel: {
      pull.cancel()
    }
    pulls[number] = nil
    use()
    return piece
  }

  /// Wakes the readers that wait in a source.
  func endStreams() {
    for number in pulls.keys.sorted() { pulls[number]?.cancel() }
  }
}
