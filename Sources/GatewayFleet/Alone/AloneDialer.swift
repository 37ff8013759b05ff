package import GatewayCore
package import GatewayRuntime

/// A dialer for clients that have no gateway. Each dial succeeds at once, and the socket echoes every frame. Requests
/// over HTTP, e.g. for a token, go to the network.
package final class AloneDialer: Dialer {
  private let loop: EventLoop
  private let network: any Dialer

  package init(on loop: EventLoop, network: any Dialer) {
    self.loop = loop
    self.network = network
  }

  package func dial(
    _ target: DialTarget, upgrade: HTTPRequest, subprotocols: [String], handler: any SocketHandler
  ) {
    let socket = AloneSocket(on: loop, handler)
    loop.execute { handler.socketOpened(socket) }
  }

  package nonisolated(nonsending) func fetch(
    _ request: HTTPRequest, from target: DialTarget, timeout: Duration
  ) async -> Result<HTTPResponse, DialFailure> {
    await network.fetch(request, from: target, timeout: timeout)
  }
}
