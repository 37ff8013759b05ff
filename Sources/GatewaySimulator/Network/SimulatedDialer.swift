package import GatewayCore
package import GatewayRuntime

/// The `Dialer` of a simulated loop, whose connections lead to the sites of a simulated network, without a real socket.
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
      case .ignore:
        network.world.note("upgrade ignored")
        loop.execute(at: began + Self.patience) { handler.socketRefused(.timedOut) }
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
      loop.execute(at: loop.now + timeout) { [network] in
        guard !answer.isGiven else { return }
        answer.give(.failure(.timedOut))
        // The server is told that the reader has disconnected.
        server.execute(at: server.now + network.nextLatency()) {
          answer.leave()
          answer.reading?.cancel()
        }
      }
      server.execute(at: server.now + network.nextLatency()) { [network, loop] in
        Self.begin(on: server, for: answer) {
          var response = await site.respond(to: request, on: server.eventLoop)
          if let source = response.stream {
            response.stream = nil
            guard !answer.isGiven else { return }
            let reading = server.stage.begin {
              await Self.body(of: request.method == "HEAD" ? nil : source, on: server)
            }
            answer.reading = reading
            guard let body = await reading.value else {
              return loop.execute(at: server.now + network.nextLatency()) { answer.give(.failure(Self.tooLarge)) }
            }
            answer.reading = nil
            response.body = body
          }
          loop.execute(at: server.now + network.nextLatency()) { [response] in answer.give(.success(response)) }
        }
      }
    }
  }

  /// Begins to answer `caller` on the server's loop, isolated to it like a real server.
  private static func begin(
    on server: SimulatedLoop, for caller: any HTTPCaller,
    _ body: nonisolated(nonsending) @escaping @Sendable () async -> Void
  ) {
    HTTPCall.$caller.withValue(caller) { _ = server.stage.begin(body) }
  }

  /// The time that a dialling client waits for an answer.
  private static let patience = Duration.seconds(30)
  /// The size limit of a streamed body.
  private static let bodyBytesMax = 8 << 20
  private static let tooLarge = DialFailure.unreachable("the response is above \(bodyBytesMax) bytes")

  /// Returns all pieces of a streamed body, none for a HEAD request; nil if there are too many bytes.
  private static nonisolated(nonsending) func body(of source: HTTPStream?, on server: SimulatedLoop) async -> [UInt8]? {
    var body: [UInt8] = []
    while let piece = await source?.next() {
      body += piece
      guard body.count <= bodyBytesMax else { return nil }
      // Lets other work on the loop run.
      await server.eventLoop.sleep(until: server.now)
    }
    return body
  }

  private static let nobodyListens = DialFailure.unreachable("connection refused")

  /// Returns the request as the server receives it.
  private func received(_ request: HTTPRequest, _ target: DialTarget) -> HTTPRequest {
    var request = request
    request.peer = target.source ?? "127.0.0.1"
    if request.header("host") == nil { request.headers.append(HTTPField("host", "\(target.host):\(target.port)")) }
    return request
  }
}

/// The continuation of a request, which the first of several answers resumes.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
private final class FirstAnswer: HTTPCaller, @unchecked Sendable {
  /// Whether the server has been told that the caller no longer waits.
  private(set) var hasGone = false
  private var continuation: CheckedContinuation<Result<HTTPResponse, DialFailure>, Never>?
  /// The task that reads a streamed body, while it runs.
  var reading: Task<[UInt8]?, Never>?

  init(_ continuation: CheckedContinuation<Result<HTTPResponse, DialFailure>, Never>) {
    self.continuation = continuation
  }

  var isGiven: Bool { continuation == nil }

  func leave() { hasGone = true }

  func give(_ answer: Result<HTTPResponse, DialFailure>) {
    continuation?.resume(returning: answer)
    continuation = nil
  }
}
