import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayTokens
import GatewayWires
import TestSupport
import Testing

@testable import GatewayIdentity

/// While the backend is away, clients of a wire without refreshes come back with their new token.
@Suite(.timeLimit(.minutes(2)))
struct HookReturnTests {
  /// A wire whose clients renew by a new connection.
  private static let wire = """
    {"wire": 1, "name": "returning", "connect": {"path": "/returning"},
     "say": {"login": {"json": {"type": "login", "token": "{{token}}"}}}, "at_open": {"say": "login"},
     "hear": [{"when": {"json": {"/type": "welcome"}}, "is": "logged_in", "as": {"json": {"type": "welcome"}}}],
     "ends": [{"code": 4401, "then": "renew"}, {"code": 4403, "then": "give_up"}],
     "refresh": {"how": "reconnect"}, "comeback": {"first": "1s", "token": "unless_over"},
     "serve": {"closes": {"expired": 4401, "refused": 4403}}}
    """

  /// A gateway with clients of that wire.
  private struct Scene {
    let space: HookSpace

    init(_ hooks: Set<Hook> = [.connect, .refresh], _ change: (inout HookSettings) -> Void = { _ in }) throws {
      let key = try VerificationKey(try KeyMaterial.secret(Array(IdentitySpace.secret.utf8)))
      let verifier = JWTVerifier(keys: try KeySet([key]))
      let wire = try WireDescription(
        try DescriptionFile.parse(Array(HookReturnTests.wire.utf8), file: "returning.json"))
      let settings = try ServedSettings(wire, secrets: [:]) { ground in
        PlainAuthenticator(
          verifier: verifier, directory: PlainDirectory(ground.store, generator: SeededGenerator(seed: ground.seed)))
      }
      space = try HookSpace(hooks, others: [settings], change)
    }

    /// Returns a client of the wire that has its answer.
    func connect(_ user: String = "ann", life: Double = 100) throws -> SimulatedPeer {
      let peer = space.inner.dial(HTTPRequest(method: "GET", path: "/returning"))
      peer.say(#"{"type":"login","token":"\#(try space.token(user, life: life))"}"#)
      _ = space.inner.world.run(within: .seconds(30)) { !peer.texts.isEmpty || peer.ending != nil }
      return peer
    }

    var asked: [String] { space.backend.requests.map { String($0.path.split(separator: "/").last ?? "") } }
  }

  private static func isIn(_ peer: SimulatedPeer) -> Bool {
    peer.isOpen && peer.texts.first?.has("welcome") == true
  }

  @Test(arguments: [true, false])
  func
    `a client whose token ends during the outage comes back by a new connection, and the backend decides on it later`(
      asksRefresh: Bool
    ) throws
  {
    let scene = try Scene(asksRefresh ? [.connect, .refresh] : [.connect])
    let (space, backend) = (scene.space, scene.space.backend)
    backend.say(#"{"result":{"info":[1]}}"#, to: "connect")
    let before = try scene.connect()
    #expect(Self.isIn(before), "\(before.texts)")
    backend.say(500, to: "")
    backend.answers["connect"] = nil
    space.pass(110)
    #expect(!before.isOpen)
    let ann = try scene.connect(life: 900)
    #expect(Self.isIn(ann) && space.onGrace == 1, "\(ann.texts)")
    // Nobody new gets in.
    #expect(try !Self.isIn(scene.connect("eve")))
    space.pass(600)
    #expect(ann.isOpen && space.onGrace == 1)
    backend.answers = [:]
    let count = scene.asked.count
    space.pass(60)
    #expect(ann.isOpen && space.onGrace == 0)
    #expect(scene.asked[count...].contains(asksRefresh ? "refresh" : "connect"), "\(scene.asked)")
    #expect(backend.body.has(#""meta":[1]"#) == asksRefresh, "\(backend.body)")
    // It lives to its token's end, and no longer.
    space.pass(200)
    #expect(ann.isOpen)
    space.pass(50)
    #expect(!ann.isOpen)
  }

  @Test
  func `a client that comes back on grace a second time is on the grace of the first`() throws {
    let scene = try Scene()
    let space = scene.space
    _ = try scene.connect()
    space.backend.say(500)
    let begun = space.inner.world.now
    var ann = try scene.connect()
    while Self.isIn(ann), space.inner.world.now - begun < .seconds(5_000) {
      while ann.isOpen { space.pass(1) }
      ann = try scene.connect()
    }
    // An hour, and up to a minute over which sessions are closed.
    #expect((Duration.seconds(3_600)...Duration.seconds(3_700)).contains(space.inner.world.now - begun))
    #expect(ann.ending?.code == 1013, "\(ann.texts)")
    #expect(space.onGrace == 0)
    space.backend.answers = [:]
    space.pass(30)
    #expect(try Self.isIn(scene.connect()))
  }

  @Test
  func `a client that has been away for longer than a grace is new`() throws {
    let scene = try Scene()
    let ann = try scene.connect()
    scene.space.backend.say(500)
    ann.close()
    scene.space.pass(59)
    let early = try scene.connect()
    #expect(Self.isIn(early))
    early.close()
    scene.space.pass(61)
    #expect(try !Self.isIn(scene.connect()))
  }

  @Test(arguments: [
    #"{"disconnect":{"code":4500,"reason":"banned"}}"#, #"{"error":{"code":1000,"message":"no seat"}}"#,
    #"{"result":{"user":""}}"#,
  ])
  func `a user whom the backend has refused since does not come back during an outage`(answer: String) throws {
    let scene = try Scene()
    #expect(try Self.isIn(scene.connect()))
    scene.space.backend.say(answer)
    #expect(try !Self.isIn(scene.connect()))
    scene.space.backend.say(500)
    #expect(try !Self.isIn(scene.connect()))
  }

  @Test(arguments: [
    (#"{"disconnect":{"code":4999,"reason":"out"}}"#, 4999 as UInt16), (#"{"result":{"user":"bob"}}"#, 0),
    (#"{"error":{"code":1000,"message":"no seat"}}"#, 0), (#"{"result":{"user":""}}"#, 0),
  ])
  func `what the backend says about a client that is in on grace is done`(answer: String, code: UInt16) throws {
    let scene = try Scene([.connect])
    let space = scene.space
    _ = try scene.connect()
    space.backend.say(500)
    let ann = try scene.connect(life: 1_000)
    space.pass(50)
    #expect(Self.isIn(ann) && space.onGrace == 1)
    space.backend.say(answer)
    space.pass(60)
    if answer.has("bob") {
      // The answer is about another user.
      #expect(ann.isOpen && space.onGrace == 1)
      return
    }
    #expect(!ann.isOpen && space.onGrace == 0)
    if code > 0 { #expect(ann.ending?.code == code, "\(String(describing: ann.ending))") }
    space.backend.say(500)
    #expect(try !Self.isIn(scene.connect()))
  }

  @Test
  func `a token that is refused brings nobody back`() throws {
    let scene = try Scene()
    _ = try scene.connect()
    scene.space.backend.say(500)
    #expect(try !Self.isIn(scene.connect(life: -10)))
    #expect(try Self.isIn(scene.connect()))
  }

  @Test
  func `clients that refresh on their connection and lose it are new during an outage`() throws {
    let space = try HookSpace([.connect, .refresh])
    let ann = space.connect(try space.token())
    #expect(ann.isOpen)
    space.backend.say(500)
    #expect(space.connect(try space.token()).texts.first?.has("503005") == true)
    #expect(space.inner.space.hooks?.returns.count == 0)
  }

  @Test
  func `users that stay away are forgotten, and of the others the newest are kept`() {
    let returns = HookReturns(patience: .seconds(60), leftMax: 1_000)
    func key(_ number: Int) -> HookReturns.Key { .init(dialect: Name("returning"), user: UserID("user-\(number)")) }
    func now(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
    let count = 1_500
    for number in 0..<count { returns.admit(key(number), as: .init(info: nil, name: nil)) }
    returns.admit(key(0), as: .init(info: "7", name: nil))
    for number in 0..<count { returns.leave(key(number), at: now(1)) }
    // The first user has another connection, so it counts beside the 1,000 that have left.
    #expect(returns.count == 1_001)
    #expect(returns.admission(of: key(0), at: now(1_000))?.info == "7")
    #expect(returns.admission(of: key(count - 1), at: now(60)) != nil)
    #expect(returns.admission(of: key(count - 1), at: now(61)) == nil)
    #expect(
      returns.admission(of: key(count - 1), at: now(2)) != nil && returns.admission(of: key(1), at: now(2)) == nil)
    returns.leave(key(0), at: now(62))
    #expect(returns.count == 1)
    returns.forget(key(0))
    returns.leave(key(0), at: now(63))
    #expect(returns.count == 0)
  }
}
