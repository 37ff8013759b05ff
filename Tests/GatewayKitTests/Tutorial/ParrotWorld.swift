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
    get throws { ParrotSettings(verifier: JWTVerifier(keys: try KeySet([try VerificationKey(secret)]))) }
  }

  let world: TestWorld

  /// The parrot is there as long as `body` runs.
  static func run(
    _ place: TestPlace, refreshTimeout: Duration = .seconds(60),
    _ body: @escaping @Sendable (ParrotWorld) async throws -> Void
  ) async throws {
    let session = try SessionPolicy(refreshTimeout: refreshTimeout, anyRefreshTimeout: true)
    let settings = SpaceSettings(
      configuration: GatewayConfiguration(session: session), vendors: [try Self.settings],
      issuer: FakeTokens(), provider: try TokenProviderPolicy())
    try await place.run(settings) { try await body(ParrotWorld(world: $0)) }
  }

  /// A token of the user that lives so long.
  func token(_ user: String, life: Int = 3_600) throws -> String {
    let now = Int64(world.wallTime.seconds)
    return try JWTSigner(Self.secret).sign(Array(#"{"sub":"\#(user)","iat":\#(now),"exp":\#(now + Int64(life))}"#.utf8))
  }

  /// A client whose connection is open.
  func dial() async -> TestPeer { await world.dial(ParrotDialect.path) }

  /// A client that has said hello.
  func greet(_ user: String) async throws -> TestPeer {
    let peer = await dial()
    peer.say(#"{"type":"hello","token":"\#(try token(user))"}"#)
    return peer
  }

  /// An operator lets the user's tokens expire. Returns how many sessions that reached.
  func expire(_ user: String) async throws -> Int {
    try await world.gateway.control(UserID(user), .expireNow)
  }

  func fetch(_ path: String) async throws -> HTTPResponse { try await world.fetch("GET", path) }
}
