import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewayServer
import GatewaySpace
import GatewayTokens
import PosternTesting
import Synchronization
import TestSupport

/// The parrot over real sockets, on a free port of loopback. The wait for a token is cut short, since time is real.
final class LiveParrot: ParrotWorld {
  private let running: RunningGateway
  private let clients: SocketLoop

  init() async throws {
    let verifier = JWTVerifier(keys: try KeySet([try VerificationKey(Self.secret)]))
    let session = try SessionPolicy(
      loginTimeout: .seconds(2), refreshTimeout: .seconds(1), refreshLead: .zero, anyRefreshTimeout: true)
    let space = SpaceSettings(
      configuration: GatewayConfiguration(session: session), vendors: [ParrotSettings(verifier: verifier)],
      issuer: FakeTokens(), provider: try TokenProviderPolicy())
    running = try await RunningGateway.start(GatewaySettings(space))
    clients = SocketLoop(index: 0, limits: ServerLimits(), seed: 1)
    try clients.start()
  }

  func stop() async {
    await running.stop()
    clients.stop()
  }

  private var target: DialTarget { DialTarget(host: "127.0.0.1", port: running.port) }

  var wallTime: WallTime {
    get async { await clients.perform { [clients] in clients.events.wallTime } }
  }

  func dial() async throws -> any ParrotPeer {
    let peer = Peer(clients)
    await clients.perform { [clients, target] in
      SocketDialer(on: clients).dial(
        target, upgrade: HTTPRequest(method: "GET", path: ParrotDialect.path), subprotocols: [], handler: peer)
    }
    return peer
  }

  func expire(_ user: String) async throws -> Int {
    try await running.gateway.control(UserID(user), .expireNow)
  }

  func fetch(_ path: String) async throws -> HTTPResponse {
    let (clients, target) = (clients, target)
    let asking = Task(executorPreference: clients.events) {
      await SocketDialer(on: clients).fetch(HTTPRequest(method: "GET", path: path), from: target, timeout: .seconds(10))
    }
    return try await asking.value.get()
  }

  /// `@unchecked Sendable`: `socket` and `waiting` are touched on the clients' loop only.
  private final class Peer: ParrotPeer, SocketHandler, @unchecked Sendable {
    private let loop: SocketLoop
    private var socket: (any Socket)?
    /// What was said before the socket was open.
    private var waiting: [String] = []
    private let messages: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let code = Mutex<UInt16?>(nil)

    init(_ loop: SocketLoop) {
      self.loop = loop
      (messages, continuation) = AsyncStream.makeStream()
    }

    func say(_ text: String) async {
      await loop.perform { [self] in
        if let socket { _ = socket.send(Frame(text: text)) } else { waiting.append(text) }
      }
    }

    func hear() async -> String? {
      var iterator = messages.makeAsyncIterator()
      return await iterator.next()
    }

    func closeCode() async -> UInt16? {
      while await hear() != nil {}
      return code.withLock { $0 }
    }

    func socketOpened(_ socket: any Socket) {
      self.socket = socket
      for text in waiting { _ = socket.send(Frame(text: text)) }
    }

    func socketRefused(_ failure: DialFailure) { continuation.finish() }

    func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
      continuation.yield(String(decoding: payload, as: UTF8.self))
    }

    func socketReceivedPong() {}
    func socketReceivedPing() {}
    func socketViolated(_ reason: CloseReason) {}

    func socketClosed(_ peerCode: UInt16?) {
      code.withLock { $0 = peerCode }
      continuation.finish()
    }
  }
}
