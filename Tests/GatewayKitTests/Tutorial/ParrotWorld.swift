import GatewayCore
import GatewayTokens

/// A world that the parrot lives in: one in virtual time, say. A test that is written for any runs in all.
protocol ParrotWorld {
  /// The secret that its tokens are signed with.
  static var secret: KeyMaterial { get }

  var wallTime: WallTime { get async }

  /// A client whose connection is open.
  func dial() async throws -> any ParrotPeer

  /// An operator lets the user's tokens expire. Returns how many sessions that reached.
  func expire(_ user: String) async throws -> Int

  func fetch(_ path: String) async throws -> HTTPResponse
}

/// A client in a test's hand.
protocol ParrotPeer {
  func say(_ text: String) async

  /// The next message; nil when the connection has ended.
  func hear() async throws -> String?

  /// The code of the gateway's close frame, after whatever was said before it.
  func closeCode() async throws -> UInt16?
}

extension ParrotWorld {
  static var secret: KeyMaterial { try! KeyMaterial.secret(Array("a secret of thirty-two bytes, say".utf8)) }

  /// A token of the user that lives so long.
  func token(_ user: String, life: Int = 3_600) async throws -> String {
    let now = Int64(await wallTime.seconds)
    return try JWTSigner(Self.secret).sign(Array(#"{"sub":"\#(user)","iat":\#(now),"exp":\#(now + Int64(life))}"#.utf8))
  }

  /// A client that has said hello.
  func greet(_ user: String) async throws -> any ParrotPeer {
    let peer = try await dial()
    await peer.say(#"{"type":"hello","token":"\#(try await token(user))"}"#)
    return peer
  }
}
