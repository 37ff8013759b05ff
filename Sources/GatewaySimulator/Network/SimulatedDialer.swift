package import GatewayCore
package import GatewayRuntime

/// Opens simulated connections to the sites of a network, from one loop.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
package final class SimulatedDialer: Dialer, @unchecked Sendable {
  private let network: SimulatedNetwork
  private let loop: SimulatedLoop

  package init(_ network: SimulatedNetwork, on loop: SimulatedLoop) {
    self.network = network
    self.loop = loop
  }

  package func dial(_ target: DialTarget, upgrade: HTTPRequest, subprotocols: [String], handler: any SocketHandler) {
    loop.eventLoop.preconditionOnLoop()
    let began = loop.now
    guard let (site, acceptor) = network.accept(target) else {
      return loop.execute(at: began) { handler.socketRefused(Self.nobodyListens) }
    }
    var upgrade = received(upgrade, target)
    if !subprotocols.isEmpty {
      upgrade.headers.append(HTTPField("sec-websocket-protocol", subprotocols.joined(separator: ", ")))
    }
    acceptor.execute(at: began + network.nextLatency()) { [self] in
      switch site.admit(upgrade, on: acceptor.eventLoop) {
      case .accept(let accepting, _):
        let (dialled, accepted) = network.makeConnection(
          from: (loop, handler, began, upgrade.peer), to: (acceptor, accepting), at: target)
        dialled.arrive(.opened, at: acceptor.now + network.nextLatency())
        accepting.socketOpened(accepted)
      case .refuse(let response):
        network.world.note("upgrade refused \(response.status)")
        loop.execute(at: acceptor.now + network.nextLatency()) {
          handler.socketRefused(.refused(status: response.status))
        }
      }
    }
  }

  package nonisolated(nonsending) func fetch(
    _ request: HTTPRequest, from target: DialTarget, timeout: Duration
  ) async -> Result<HTTPResponse, DialFailure> {
    loop.eventLoop.preconditionOnLoop()
    guard let (site, server) = network.accept(target) else { return .failure(Self.nobodyListens) }
    let request = received(request, target)
    return await withCheckedContinuation { continuation in
      let answer = FirstAnswer(continuation)
      loop.execute(at: loop.now + timeout) { answer.give(.failure(.timedOut)) }
      server.execute(at: server.now + network.nextLatency()) { [network, loop] in
        server.stage.start {
          let response = await site.respond(to: request, on: server.eventLoop)
          loop.execute(at: server.now + network.nextLatency()) { answer.give(.success(response)) }
        }
      }
    }
  }

  private static let nobodyListens = DialFailure.unreachable("connection refused")

  /// The request as the server sees it.
  private func received(_ request: HTTPRequest, _ target: DialTarget) -> HTTPRequest {
    var request = request
    request.peer = target.source ?? "127.0.0.1"
    if request.header("host") == nil { request.headers.append(HTTPField("host", "\(target.host):\(target.port)")) }
    return request
  }
}

/// A question that the first of several answers settles.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
private final class FirstAnswer: @unchecked Sendable {
  private var continuation: CheckedContinuation<Result<HTTPResponse, DialFailure>, Never>?

  init(_ continuation: CheckedContinuation<Result<HTTPResponse, DialFailure>, Never>) {
    self.continuation = continuation
  }

  func give(_ answer: Result<HTTPResponse, DialFailure>) {
    continuation?.resume(returning: answer)
    continuation = nil
  }
}
