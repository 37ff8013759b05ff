import GatewayCore
import GatewayRuntime

/// A client that repeats the actions of a recorded one. It answers nothing by itself.
///
/// An actor on the loop of its socket.
actor ReplayClient: SocketHandler {
  private nonisolated let loop: EventLoop
  private var socket: (any Socket)?
  private var opening: CheckedContinuation<Bool, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop) {
    self.loop = loop
  }

  /// Connects. Returns whether the upgrade succeeded.
  func open(_ target: DialTarget, _ upgrade: ClientUpgrade, by dialer: any Dialer) async -> Bool {
    await withCheckedContinuation { continuation in
      opening = continuation
      dialer.dial(target, upgrade: upgrade.request, subprotocols: upgrade.subprotocols, handler: self)
    }
  }

  func say(_ text: String) { _ = socket?.send(Frame(text: text)) }

  func close(_ code: Int) {
    let reason = UInt16(exactly: code).flatMap { CloseReason(code: $0, name: "") } ?? .normal
    socket?.close(reason)
  }

  func lose() { socket?.abort() }

  private func end(opening isOpen: Bool) {
    opening?.resume(returning: isOpen)
    opening = nil
  }

  nonisolated func socketOpened(_ socket: any Socket) {
    assumeIsolated { client in
      client.socket = socket
      client.end(opening: true)
    }
  }

  nonisolated func socketRefused(_ failure: DialFailure) { assumeIsolated { $0.end(opening: false) } }
  nonisolated func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {}
  nonisolated func socketReceivedPong() {}
  nonisolated func socketReceivedPing() {}
  nonisolated func socketViolated(_ reason: CloseReason) {}
  nonisolated func socketClosed(_ peerCode: UInt16?) { assumeIsolated { $0.socket = nil } }
}
