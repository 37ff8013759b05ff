internal import GatewayCore
internal import GatewayRuntime

extension HostLoad {
  /// The longest sleep before it is checked whether the body is still wanted.
  private static let sleepMax = Duration.seconds(1)

  /// Returns the streamed body of a request, slowed to the bytes per second that the host may get.
  func slowing(_ body: HTTPStream) -> HTTPStream {
    guard limits.bytesPerSecond != nil else { return body }
    return HTTPStream(endsByItself: body.endsByItself, isCut: body.isCut) { [self] in
      guard let piece = await body.next() else { return nil }
      var wait = spend(piece.count)
      while let duration = wait, !Task.isCancelled {
        await loop.sleep(until: loop.now + min(duration, Self.sleepMax), as: "the limit of bytes per second")
        wait = spend(0)
      }
      return piece
    }
  }
}
