import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySpace
import GatewayTokens
import TestSupport

/// A world with a parrot, in virtual time or over sockets.
struct ParrotWorld: Sendable {
  private static var secret: KeyMaterial { get throws { try .secret(Array("a secret of thirty-two bytes, say".utf8)) } }

  /// The parrot's settings in all tests.
  static var settings: ParrotSettings {
    get throws {
      ParrotSettings(
        verifier: JWTVerifier(keys: try KeySet([try VerificationKey(secret)])), signer: try JWTSigner(secret))
    }
  }

  let world: TestWorld

  /// Runs `body` in a world with a parrot.
  static func run(
    _ place: TestPlace, _ body: @escaping @Sendable (ParrotWorld) async throws -> Void
  ) async throws {
    let settings = SpaceSettings(
      configuration: GatewayConfiguration(session: try SessionPolicy()), vendors: [try Self.settings],
      issuer: FakeTokens(), provider: try TokenProviderPolicy())
    try await place.run(settings) { try await body(ParrotWorld(world: $0)) }
  }

  /// Returns a token of the user, from the gateway's own issuer.
  func token(_ user: String) throws -> String {
    let now = world.wallTime
    let issuer = ParrotTokenIssuer(signer: try Self.settings.signer)
    return issuer.mint(
      user: UserID(user), kind: .regular, issuedAt: now, expiresAt: now + .seconds(3_600), calls: nil
    ).token
  }

  /// Returns a client with an open connection.
  func dial() async -> TestPeer { await world.dial(ParrotDialect.path) }

  /// Returns a client that has sent hello.
  func greet(_ user: String) async throws -> TestPeer {
    let peer = await dial()
    peer.say(#"{"type":"hello","token":"\#(try token(user))"}"#)
    return peer
  }

  func fetch(_ path: String) async throws -> HTTPResponse { try await world.fetch("GET", path) }
}
