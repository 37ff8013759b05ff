package import GatewayCore
package import GatewayRuntime

/// A dialer for clients that have no gateway: whom they dial is there at once and says back what they say. Requests
/// over HTTP are real, that for a token for instance.
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
