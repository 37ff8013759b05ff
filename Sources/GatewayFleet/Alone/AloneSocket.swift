internal import GatewayCore
internal import GatewayRuntime

/// A socket without a peer, which echoes every frame. The echo of a new token counts as a refresh.
///
/// `@unchecked Sendable`: used only on its loop.
final class AloneSocket: Socket, @unchecked Sendable {
  private let loop: EventLoop
  private var handler: (any SocketHandler)?
  let acceptedAt: Instant
  let peer = "none"
  var answersPings = true
  var answersClose = true

  init(on loop: EventLoop, _ handler: any SocketHandler) {
    self.loop = loop
    self.handler = handler
    acceptedAt = loop.now
  }

  func send(_ frame: Frame) -> SendOutcome {
    guard handler != nil else { return .closed }
    loop.execute { [self] in
      frame.payload.withUnsafeBytes { handler?.socketReceived($0, frame.kind) }
    }
    return .sent
  }

  func close(_ reason: CloseReason) { end(reason.code) }

  func abort() { end(nil) }

  func reset() { end(nil) }

  private func end(_ code: UInt16?) {
    guard let handler else { return }
    self.handler = nil
    loop.execute { handler.socketClosed(code) }
  }

  func ping() {}

  func stopReading() {}

  func goOnReading() {}
}
