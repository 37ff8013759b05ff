package import GatewayCore
package import GatewayRuntime

/// The `Dialer` of a simulated loop, whose connections lead to the sites of a simulated network, without a real socket.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
package final class SimulatedDialer: Dialer, @unchecked Sendable {
  private let network: SimulatedNetwork
  private let loop: SimulatedLoop
  /// The dials that have no answer yet, by their handlers.
  private var dials: [ObjectIdentifier: Dial] = [:]

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
    let dial = Dial(to: target, on: acceptor, from: upgrade.peer, handler: handler, began: began)
    dials[ObjectIdentifier(handler)] = dial
    acceptor.execute(at: began + network.nextLatency()) { [self] in
      guard !dial.isOver else { return }
      switch site.admit(upgrade, on: acceptor.eventLoop) {
      case .accept(let accepting, let subprotocol): open(dial, for: accepting, on: acceptor, subprotocol, [])
      case .refuse(let response): refuse(dial, response, on: acceptor)
      case .ignore:
        network.world.note("upgrade ignored")
        loop.execute(at: began + Self.patience) { [self] in fail(dial, .timedOut) }
      case .later(let upgrade):
        dial.upgrade = upgrade
        upgrade.answered { [self] answer in
          switch answer {
          case .accept(let accepting, let subprotocol, let fields):
            open(dial, for: accepting, on: acceptor, subprotocol, fields)
          case .refuse(let response): refuse(dial, response, on: acceptor)
          }
        }
      }
    }
  }

  package func cancelDial(of handler: any SocketHandler) {
    loop.eventLoop.preconditionOnLoop()
    guard let dial = dials[ObjectIdentifier(handler)] else { return }
    let upgrade = dial.upgrade
    loop.execute(at: loop.now) { [self] in fail(dial, .unreachable("the dial was cancelled")) }
    dial.acceptor.execute(at: loop.now + network.nextLatency()) { upgrade?.leave() }
  }

  private func open(
    _ dial: Dial, for accepting: any SocketHandler, on acceptor: SimulatedLoop, _ subprotocol: String?,
    _ fields: [HTTPField]
  ) {
    guard !dial.isOver else { return accepting.socketRefused(.unreachable("the client has left")) }
    end(dial)
    let (dialled, accepted) = network.makeConnection(
      from: (loop, dial.handler, dial.began, dial.source), to: (acceptor, accepting), at: dial.target)
    let named = subprotocol.map { [HTTPField("sec-websocket-protocol", $0)] } ?? []
    let answer = dial.handler.wantsAnswer ? HTTPResponse(status: 101, headers: named + fields) : nil
    dialled.arrive(.opened(answer), at: acceptor.now + network.nextLatency())
    accepting.socketOpened(accepted)
  }

  private func refuse(_ dial: Dial, _ response: HTTPResponse, on acceptor: SimulatedLoop) {
    network.world.note("upgrade refused \(response.status)")
    loop.execute(at: acceptor.now + network.nextLatency()) { [self] in
      if !dial.isOver, dial.handler.wantsAnswer { dial.handler.socketHeardAnswer(response) }
      fail(dial, .refused(status: response.status))
    }
  }

  private func fail(_ dial: Dial, _ failure: DialFailure) {
    guard !dial.isOver else { return }
    end(dial)
    dial.handler.socketRefused(failure)
  }

  private func end(_ dial: Dial) {
    dial.isOver = true
    dials[ObjectIdentifier(dial.handler)] = nil
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
          let limit = target.answerBytesMax ?? .max
          loop.execute(at: server.now + network.nextLatency()) { [response] in
            guard response.body.count <= limit else {
              return answer.give(.failure(.unreachable("the response is above \(limit) bytes")))
            }
            answer.give(.success(response))
          }
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

extension SimulatedDialer: RequestForwarder {
  package nonisolated(nonsending) func forward(
    _ request: HTTPRequest, to target: DialTarget
  ) async -> Result<HTTPResponse, DialFailure> {
    guard let stream = request.stream else { return await fetch(request, from: target, timeout: .seconds(900)) }
    // A streamed body arrives whole: requests have no pieces here.
    guard let body = await Self.body(of: stream, on: loop) else {
      return .failure(.unreachable("the request's body is above \(Self.bodyBytesMax) bytes"))
    }
    guard !stream.isCut() else { return .failure(.unreachable("the client left before the end of the body")) }
    var whole = request
    (whole.body, whole.stream) = (body, nil)
    return await fetch(whole, from: target, timeout: .seconds(900))
  }
}

/// A dial that has no answer yet.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
private final class Dial: @unchecked Sendable {
  let target: DialTarget
  let acceptor: SimulatedLoop
  let source: String
  let handler: any SocketHandler
  let began: Instant
  /// The upgrade that the other end answers later.
  var upgrade: PendingUpgrade?
  var isOver = false

  init(
    to target: DialTarget, on acceptor: SimulatedLoop, from source: String, handler: any SocketHandler, began: Instant
  ) {
    self.target = target
    self.acceptor = acceptor
    self.source = source
    self.handler = handler
    self.began = began
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
