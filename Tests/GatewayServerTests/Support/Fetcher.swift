import GatewayCore
import GatewayRuntime
import GatewayServer

/// A sender of requests from a task on a loop.
actor Fetcher {
  private let loop: SocketLoop
  private let dialer: SocketDialer

  init(loop: SocketLoop) {
    self.loop = loop
    dialer = SocketDialer(on: loop)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.events.asUnownedSerialExecutor() }

  func fetch(
    _ request: HTTPRequest, from target: DialTarget, timeout: Duration = .seconds(120)
  ) async -> Result<HTTPResponse, DialFailure> {
    await dialer.fetch(request, from: target, timeout: timeout)
  }

  /// Starts that many requests, and calls `answered` after each, whatever its result.
  func start(_ count: Int, from target: DialTarget, answered: @escaping @Sendable () -> Void) {
    for index in 0..<count {
      Task.immediate(executorPreference: loop.events) {
        _ = await self.fetch(HTTPRequest(method: "GET", path: "/\(index)"), from: target)
        answered()
      }
    }
  }
}
