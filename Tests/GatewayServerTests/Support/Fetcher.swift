import GatewayCore
import GatewayRuntime
import GatewayServer

/// Fetches from a task on a loop.
actor Fetcher {
  private let loop: SocketLoop

  init(loop: SocketLoop) {
    self.loop = loop
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.events.asUnownedSerialExecutor() }

  func fetch(
    _ request: HTTPRequest, from target: DialTarget, timeout: Duration = .seconds(20)
  ) async -> Result<HTTPResponse, DialFailure> {
    await loop.fetch(request, from: target, timeout: timeout)
  }
}
