import GatewayCore
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import TestSupport

/// One client of a crowd: it logs in, joins a call, sends messages now and then, and answers refresh requests in its
/// own manner.
///
/// `@unchecked Sendable`: used only by the thread that runs the world.
final class CrowdClient: SocketHandler, @unchecked Sendable {
  /// The client's reaction to a refresh request, or its treatment of its connection.
  enum Manner: CaseIterable {
    case good, stale, expired, other, forgetful, garbage, deaf, halfOpen, lossy, leaving, aborting, late
  }

  private let gateway: SimulatedGateway
  private let loop: SimulatedLoop
  private let user: String
  private let manner: Manner
  private var generator: SeededGenerator
  private var token: Credentials?
  private var socket: SimulatedSocket?

  init(_ gateway: SimulatedGateway, on loop: SimulatedLoop, user: String, manner: Manner, seed: UInt64) {
    self.gateway = gateway
    self.loop = loop
    self.user = user
    self.manner = manner
    generator = SeededGenerator(seed: seed)
  }

  /// Connects at `instant` with a token issued then, in one of the three ways.
  func start(at instant: Instant) {
    loop.execute(at: instant) { [self] in
      let token = newToken()
      self.token = token
      let way = Int(generator.next() % 3)
      let upgrade = HTTPRequest(
        method: "GET", path: gateway.dialect.upgradeTarget,
        query: way == 0 ? [HTTPField("access_token", token.token)] : [],
        headers: way == 1 ? [HTTPField("authorization", "Bearer \(token.token)")] : [])
      saysConnect = way == 2
      SimulatedDialer(gateway.network, on: loop).dial(
        DialTarget.gateway, upgrade: upgrade, subprotocols: [], handler: self)
    }
  }

  private var saysConnect = false

  private func newToken() -> Credentials {
    gateway.token(user, life: .milliseconds(Int64(60_000 + generator.next() % 120_000)))
  }

  private func after(_ duration: Duration, _ body: @escaping (CrowdClient) -> Void) {
    loop.execute(at: loop.now + duration) { [self] in body(self) }
  }

  private func say(_ frame: Frame) {
    _ = socket?.send(frame)
  }

  // MARK: SocketHandler

  func socketOpened(_ socket: any Socket) {
    self.socket = socket as? SimulatedSocket
    if saysConnect, let token { say(gateway.dialect.encode(.connect(token))) }
    if manner == .lossy { self.socket?.faults.lossShare = 0.3 }
    say(Frame(text: #"{"type":"join","cid":"default:call-\#(generator.next() % 20)"}"#))
    let start = Int64(generator.next() % 60_000)
    after(.milliseconds(start)) { $0.talk() }
  }

  private func talk() {
    guard socket != nil else { return }
    switch manner {
    case .deaf: socket?.faults.isReading = false
    case .halfOpen: socket?.faults.isHalfOpen = true
    case .leaving: socket?.close(.goingAway)
    case .aborting: socket?.abort()
    case .garbage: for _ in 0..<3 { say(gateway.dialect.encode(.garbage)) }
    case .good, .stale, .expired, .other, .forgetful, .lossy, .late: say(gateway.dialect.encode(.ping))
    }
    let call = generator.next() % 20
    say(Frame(text: #"{"type":"publish","cid":"default:call-\#(call)","content":"from \#(user)"}"#))
    after(.milliseconds(Int64(20_000 + generator.next() % 40_000))) { $0.talk() }
  }

  func socketRefused(_ failure: DialFailure) {}

  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    guard case .refreshRequired = gateway.dialect.decode(payload, kind) else { return }
    after(.milliseconds(Int64(generator.next() % 5_000))) { $0.answer() }
  }

  private func answer() {
    let encode: (ClientMessage) -> Frame = gateway.dialect.encode
    switch manner {
    case .good, .lossy, .deaf, .halfOpen, .leaving, .aborting:
      say(encode(.refresh(newToken())))
    case .stale:
      if let token { say(encode(.refresh(token))) }
    case .expired:
      say(encode(.refresh(gateway.token(user, life: .seconds(-3)))))
    case .other:
      say(encode(.refresh(gateway.token("mallory"))))
    case .forgetful:
      return
    case .garbage:
      for _ in 0..<10 { say(encode(.garbage)) }
    case .late:
      after(.seconds(57)) { $0.say(encode(.refresh($0.newToken()))) }
    }
  }

  func socketReceivedPong() {}

  func socketReceivedPing() {}
  func socketViolated(_ reason: CloseReason) {}
  func socketClosed(_ peerCode: UInt16?) { socket = nil }
}
