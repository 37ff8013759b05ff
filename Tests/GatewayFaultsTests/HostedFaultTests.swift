import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayFaults

struct HostedFaultTests {
  private static func house(spaces: Int = 1, isFrozen: Bool = false) throws -> (TestHouse, PlainTokenIssuer) {
    let secret = try KeyMaterial.secret(Array("a secret of thirty-two bytes, or more".utf8))
    let issuer = PlainTokenIssuer(signer: try JWTSigner(secret))
    let settings = SpaceSettings(
      configuration: GatewayConfiguration(session: try SessionPolicy()),
      vendors: [PlainSettings(verifier: JWTVerifier(keys: try KeySet([VerificationKey(secret)])))],
      issuer: issuer, provider: try TokenProviderPolicy())
    return (try TestHouse(settings, spaces: spaces, isFrozen: isFrozen), issuer)
  }

  private func fail(_ space: HostedSpace, _ json: String) throws {
    let order = try FaultOrder.read(json: Array(json.utf8))
    _ = try space.loop.asCurrent { try space.space?.faults?.add(order) }
  }

  private func dial(_ house: TestHouse, _ space: Int, _ issuer: PlainTokenIssuer) -> SimulatedPeer {
    let now = house.world.wallTime
    let token = issuer.mint(
      user: UserID("ann"), kind: .regular, issuedAt: now, expiresAt: now + .seconds(600), calls: nil)
    return house.dial(
      space,
      HTTPRequest(
        method: "GET", path: PlainClientDialect().upgradeTarget,
        headers: [HTTPField("authorization", "Bearer \(token.token)")]))
  }

  private func ask(_ house: TestHouse, _ path: String, of space: Int = 0) -> Started<HTTPResponse?> {
    let dialer = SimulatedDialer(house.network, on: house.clients)
    let request = HTTPRequest(
      method: "POST", path: path, headers: [HTTPField("content-type", "application/json")],
      body: Array(#"{"user_id":"ann"}"#.utf8))
    let started = Started<HTTPResponse?>()
    house.clients.stage.start {
      started.end(with: try? await dialer.fetch(request, from: .space(space), timeout: .seconds(3_600)).get())
    }
    house.world.settle()
    return started
  }

  @Test
  func `a clock fault of one space changes no other space's clock`() throws {
    let (house, issuer) = try Self.house(spaces: 2)
    try fail(house.spaces[0], #"{"fault": "gateway_clock", "ahead_s": 3600}"#)
    #expect(dial(house, 0, issuer).refusal == 401 && dial(house, 1, issuer).types == ["connected"])
    #expect(house.spaces.map { $0.loop.wallTime - house.world.wallTime } == [.seconds(3_600), .zero])
  }

  @Test
  func `a late token is late in session time, and a late answer in network time`() throws {
    let (house, _) = try Self.house(isFrozen: true)
    try fail(house.spaces[0], #"{"fault": "mint_slowly", "by_ms": 60000, "times": 1}"#)
    try fail(house.spaces[0], #"{"fault": "answer_late", "route": "/v1/guests", "by_ms": 2000}"#)
    let (token, guest) = (ask(house, "/v1/tokens"), ask(house, "/v1/guests"))
    house.world.advance(by: .seconds(2))
    #expect(token.value == nil && guest.value??.status == 201)
    let space = house.spaces[0]
    #expect(space.sleeping.map(\.purpose) == ["the fault mint_slowly"])
    _ = house.world.ask { try? await space.advance(by: .seconds(60), patience: .seconds(1)) }
    house.world.settle()
    #expect(token.value??.status == 200)
  }

  @Test
  func `a space ends although a client waits for an answer that never comes, and leaves nothing`() throws {
    var (house, issuer) = try Self.house()
    for order in [
      #"{"fault": "mint_never"}"#, #"{"fault": "answer_never", "route": "/v1/guests"}"#,
      #"{"fault": "judge_slowly", "by_ms": 60000}"#, #"{"fault": "store_slow", "by_ms": 60000}"#,
    ] {
      try fail(house.spaces[0], order)
    }
    let waiting = [ask(house, "/v1/tokens"), ask(house, "/v1/guests")]
    let ann = dial(house, 0, issuer)
    house.world.advance(by: .seconds(1))
    #expect(waiting.allSatisfy { $0.value == nil } && ann.isOpen)
    weak let space: HostedSpace? = house.spaces[0]
    weak let book: FaultBook? = space?.space?.faults
    let before = house.world.now
    house.end(house.spaces[0])
    #expect(house.world.now - before < .seconds(10))
    house.world.advance(by: .seconds(1))
    #expect(waiting.map { $0.value??.status } == [200, 201] && !ann.isOpen)
    house.forget()
    house.world.advance(by: .seconds(60))
    #expect(space == nil && book == nil)
  }
}
