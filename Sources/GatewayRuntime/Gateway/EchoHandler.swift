package import GatewayCore

/// A handler that answers every message with itself, for conformance suites such as Autobahn.
///
/// `@unchecked Sendable`: made and called on one loop.
package final class EchoHandler: SocketHandler, @unchecked Sendable {
  private var socket: (any Socket)?

  package init() {}

  package func socketOpened(_ socket: any Socket) {
    self.socket = socket
  }

  package func socketRefused(_ failure: DialFailure) {}

  package func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    if socket?.send(Frame(kind, Array(payload))) == .overflow { socket?.close(.slowConsumer) }
  }

  package func socketReceivedPong() {}

  package func socketReceivedPing() {}

  package func socketViolated(_ reason: CloseReason) {}

  package func socketClosed(_ peerCode: UInt16?) {
    socket = nil
  }
}
