import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayTokens
import TestSupport

/// Hosted spaces that play the plain dialect, with real tokens.
struct PlainHouse {
  var house: TestHouse
  let issuer: PlainTokenIssuer

  /// What they are told; the provider is the usual one unless it is another.
  static func settings(_ provider: TokenProviderPolicy? = nil) throws -> (SpaceSettings, PlainTokenIssuer) {
    let secret = try KeyMaterial.secret(Array("a secret of thirty-two bytes, or more".utf8))
    let issuer = PlainTokenIssuer(signer: try JWTSigner(secret))
    let settings = SpaceSettings(
      configuration: GatewayConfiguration(session: try SessionPolicy()),
      vendors: [PlainSettings(verifier: JWTVerifier(keys: try KeySet([VerificationKey(secret)])))],
      issuer: issuer, provider: try provider ?? TokenProviderPolicy())
    return (settings, issuer)
  }

  init(
    spaces: Int = 1, limits: HostedLimits = HostedLimits(),
    provider: TokenProviderPolicy? = nil
  ) throws {
    let settings: SpaceSettings
    (settings, issuer) = try Self.settings(provider)
    house = try TestHouse(settings, spaces: spaces, limits: limits)
  }

  var world: SimulatedWorld { house.world }

  /// A token of ann's that lives for `life` from that time of day.
  static func token(_ issuer: PlainTokenIssuer, life: Duration, from now: WallTime) -> Credentials {
    issuer.mint(user: UserID("ann"), kind: .regular, issuedAt: now, expiresAt: now + life, calls: nil)
  }

  /// What a client asks for that comes with that token.
  static func upgrade(with token: Credentials) -> HTTPRequest {
    HTTPRequest(
      method: "GET", path: PlainClientDialect().upgradeTarget,
      headers: [HTTPField("authorization", "Bearer \(token.token)")])
  }

  private func upgrade(_ life: Duration, in space: Int) -> HTTPRequest {
    Self.upgrade(with: Self.token(issuer, life: life, from: wallTime(of: space)))
  }

  /// A client in the test's hand.
  func connect(_ space: Int = 0, life: Duration = .seconds(3_600)) -> SimulatedPeer {
    house.dial(space, upgrade(life, in: space))
  }

  func wallTime(of space: Int) -> WallTime { house.spaces[space].loop.wallTime }

  /// Moves the time of a space.
  func advance(_ space: Int = 0, by duration: Duration) {
    house.host.eventLoop.asCurrent { house.spaces[space].advance(by: duration) }
  }

  func fetch(_ space: Int, _ method: String, _ path: String, body: String = "{}") -> Started<HTTPResponse?> {
    let dialer = SimulatedDialer(house.network, on: house.clients)
    let request = HTTPRequest(
      method: method, path: path, headers: [HTTPField("content-type", "application/json")], body: Array(body.utf8))
    let started = Started<HTTPResponse?>()
    house.clients.stage.start {
      started.end(with: try? await dialer.fetch(request, from: .space(space), timeout: .seconds(60)).get())
    }
    world.settle()
    return started
  }
}
