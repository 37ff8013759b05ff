import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayStream
import TestSupport
import Testing

/// The wire formats a gateway speaks.
enum GateDialect: String, CaseIterable, CustomTestStringConvertible {
  case plain
  case streamVideo = "stream-video"
  case streamVideoV2 = "stream-video-v2"
  case streamChat = "stream-chat"
  case streamSFU = "stream-sfu"
  case sendbird
  case sinch
  case streem

  var testDescription: String { rawValue }

  func scene(_ session: SessionPolicy = try! SessionPolicy()) throws -> any GateScene {
    switch self {
    case .plain: try PlainScene(session)
    case .streamVideo: try StreamScene(session, .video)
    case .streamVideoV2: try StreamScene(session, .v2)
    case .streamChat: try StreamScene(session, .chat)
    case .streamSFU: try StreamSFUScene(session)
    case .sendbird: try SendbirdScene(session)
    case .sinch: SinchScene(session)
    case .streem: try StreemScene(session)
    }
  }

  /// Whether a new token keeps the very same connection; else the client comes back with it.
  var renewsInPlace: Bool {
    switch self {
    case .plain, .sendbird, .sinch, .streem: true
    case .streamVideo, .streamVideoV2, .streamChat, .streamSFU: false
    }
  }

  /// From the request to the disconnection. Stream's wire has no answer to the request: it is a farewell.
  var refreshTimeout: Duration { renewsInPlace ? .seconds(60) : .zero }
}

/// The rules of the gate, each in every dialect: a rule that holds in one of them only is none.
@Suite("The rules of the gate, rule by dialect")
struct RulesOfTheGateTests {
  @Test("anonymous users get no socket", arguments: GateDialect.allCases)
  func anonymous(dialect: GateDialect) throws {
    let scene = try dialect.scene()
    let peer = scene.anonymous()
    #expect(!scene.isLoggedIn(peer))
    scene.world.advance(by: .seconds(10))
    #expect(!peer.isOpen && !scene.isLoggedIn(peer))
    #expect(scene.order { await $0.sessions(of: nil, after: nil, limit: 10).count } == 0)
  }

  @Test("guests can join", arguments: GateDialect.allCases)
  func guests(dialect: GateDialect) throws {
    let scene = try dialect.scene()
    let guest = try #require(scene.guest())
    #expect(scene.isLoggedIn(guest) && guest.isOpen)
    #expect(scene.order { await $0.sessions(of: nil, after: nil, limit: 10).map(\.kind) } == [.guest])
    #expect(scene.joins(guest))
  }

  @Test("missing authentication is connection required, 800101", arguments: GateDialect.allCases)
  func connectionRequired(dialect: GateDialect) throws {
    #expect(try dialect.scene().operationWithoutConnection().contains("800101"))
  }

  @Test("a token that expires in mid-session is asked for, once, and not before", arguments: GateDialect.allCases)
  func expiry(dialect: GateDialect) throws {
    let scene = try dialect.scene()
    let peer = scene.connect("ann")
    #expect(scene.isLoggedIn(peer))
    scene.world.advance(by: PlainScene.life - .seconds(1))
    #expect(scene.asks(peer) == 0 && peer.isOpen)
    scene.world.advance(by: .seconds(2))
    #expect(scene.asks(peer) == 1)
    scene.world.advance(by: .seconds(50))
    #expect(scene.asks(peer) == 1)
  }

  @Test("who misses the time-out is disconnected, and not before", arguments: GateDialect.allCases)
  func timeout(dialect: GateDialect) throws {
    let scene = try dialect.scene()
    let peer = scene.connect("ann")
    let expiry = scene.world.now + PlainScene.life
    scene.world.advance(by: PlainScene.life + .seconds(120))
    let ending = try #require(peer.ending)
    #expect(ending.at >= expiry + dialect.refreshTimeout - .seconds(1))
    #expect(ending.at <= expiry + dialect.refreshTimeout + .seconds(1))
    #expect(scene.order { await $0.sessions(of: nil, after: nil, limit: 10).count } == 0)
  }

  @Test("a good new token of the same user keeps the connection, or brings another", arguments: GateDialect.allCases)
  func renewal(dialect: GateDialect) throws {
    let scene = try dialect.scene()
    let peer = scene.connect("ann")
    scene.world.advance(by: PlainScene.life + .seconds(1))
    let renewed = scene.renew("ann", peer)
    #expect(scene.isLoggedIn(renewed) && renewed.isOpen)
    #expect((renewed === peer) == dialect.renewsInPlace)
    scene.world.advance(by: .seconds(3600))
    #expect(renewed.isOpen)
    #expect(scene.asks(renewed) == (dialect.renewsInPlace ? 1 : 0))
  }

  @Test("a token that an operator lets expire is asked for, and a new one is good", arguments: GateDialect.allCases)
  func expiryByOrder(dialect: GateDialect) throws {
    let scene = try dialect.scene()
    let (ann, bob) = (scene.connect("ann"), scene.connect("bob"))
    scene.world.advance(by: .seconds(5))
    #expect(scene.order { try? await $0.control(UserID("ann"), .expireNow) } == 1)
    #expect(scene.asks(ann) == 1 && scene.asks(bob) == 0)
    let renewed = scene.renew("ann", ann)
    #expect(scene.isLoggedIn(renewed) && renewed.isOpen && bob.isOpen)
  }

  @Test("a revoked token's session is asked for another at once, and nobody else's is", arguments: GateDialect.allCases)
  func revocation(dialect: GateDialect) throws {
    let scene = try dialect.scene()
    let (ann, bob) = (scene.connect("ann"), scene.connect("bob"))
    scene.world.advance(by: .seconds(5))
    let now = scene.world.wallTime
    #expect(scene.order { try? await $0.revoke(.user(UserID("ann"), issuedBefore: now)) } == 1)
    #expect(scene.asks(ann) == 1 && scene.asks(bob) == 0)
    scene.world.advance(by: .seconds(70))
    #expect(!ann.isOpen && bob.isOpen)
  }

  @Test("where it is set so, a revoked token's session is closed", arguments: GateDialect.allCases)
  func closingRevocation(dialect: GateDialect) throws {
    let scene = try dialect.scene(try SessionPolicy(revocation: .close))
    let (ann, bob) = (scene.connect("ann"), scene.connect("bob"))
    scene.world.advance(by: .seconds(5))
    let now = scene.world.wallTime
    _ = scene.order { try? await $0.revoke(.user(UserID("ann"), issuedBefore: now)) }
    scene.world.advance(by: .seconds(1))
    #expect(!ann.isOpen && bob.isOpen)
  }
}
