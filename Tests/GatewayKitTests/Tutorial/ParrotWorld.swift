import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySpace
import GatewayTokens
import TestSupport

/// A world that the parrot lives in, be it in virtual time or over sockets.
struct ParrotWorld: Sendable {
  private static var secret: KeyMaterial { get throws { try .secret(Array("a secret of thirty-two bytes, say".utf8)) } }

  /// The parrot as it is played in all tests.
  static var settings: ParrotSettings {
    get throws {
      ParrotSettings(
        verifier: JWTVerifier(keys: try KeySet([try VerificationKey(secret)])), signer: try JWTSigner(secret))
    }
  }

  let world: TestWorld

  /// The parrot is there as long as `body` runs.
  static func run(
    _ place: TestPlace, _ body: @escaping @Sendable (ParrotWorld) async throws -> Void
  ) async throws {
    let settings = SpaceSettings(
      configuration: GatewayConfiguration(session: try SessionPolicy()), vendors: [try Self.settings],
      issuer: FakeTokens(), provider: try TokenProviderPolicy())
    try await place.run(settings) { try await body(ParrotWorld(world: $0)) }
  }

  /// A token of the user, as the gateway's own issuer makes it.
  func token(_ user: String) throws -> String {
    let now = world.wallTime
    let issuer = ParrotTokenIssuer(signer: try Self.settings.signer)
    return issuer.mint(
      user: UserID(user), kind: .regular, issuedAt: now, expiresAt: now + .seconds(3_600), calls: nil
    ).token
  }

  /// A client whose connection is open.
  func dial() async -> TestPeer { await world.dial(ParrotDialect.path) }

  /// A client that has said hello.
  func greet(_ user: String) async throws -> TestPeer {
    let peer = await dial()
    peer.say(#"{"type":"hello","token":"\#(try token(user))"}"#)
    return peer
  }

  func fetch(_ path: String) async throws -> HTTPResponse { try await world.fetch("GET", path) }
}
