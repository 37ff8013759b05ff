import GatewayCore
import Testing

@testable import GatewayStream

struct StreamVideoClientDialectTests {
  private static let ann = ClientIdentity(
    user: UserID("ann"), token: Credentials(token: "a.b.c"), connection: "conn", greeting: #"{"type":"connection.ok"}"#,
    number: 7)
  private let context = DialectContext(
    connection: ConnectionID(loop: 0, serial: 1), isLoggedIn: false, now: WallTime(seconds: 1_700_000_000))

  private func client(_ kind: StreamVideoSDK) -> StreamVideoClientDialect {
    StreamVideoClientDialect(kind, apiKey: "key")
  }

  private func server(_ kind: StreamVideoSDK) -> StreamDialect {
    StreamDialect(kind == .python ? .v2 : .video)
  }

  @Test(
    arguments: StreamVideoSDK.allCases
  )
  func `the upgrade has the SDK's path, with the key where the gateway reads it`(kind: StreamVideoSDK) {
    let upgrade = client(kind).upgrade(of: Self.ann)
    #expect(server(kind).accepts(upgrade.request) && upgrade.subprotocols.isEmpty)
    let details = server(kind).details(of: upgrade.request)?.unpacked(StreamUpgrade.self)
    #expect(details?.apiKey == "key" && details?.authType == "jwt")
    // The raw token, without "Bearer".
    #expect(upgrade.request.header("authorization") == (kind == .android ? "a.b.c" : nil))
  }

  @Test(arguments: StreamVideoSDK.allCases)
  func `the first message logs in, and the Swift SDK's is binary`(kind: StreamVideoSDK) throws {
    let frame = try #require(client(kind).encode(.connect(Credentials(token: "a.b.c")), of: Self.ann))
    #expect(frame.kind == (kind == .swift ? .binary : .text))
    let message = try frame.payload.withUnsafeBytes { try server(kind).decode($0, frame.kind, context) }
    guard case .credentials(let credentials, _) = message else {
      Issue.record("not a login: \(frame.text)")
      return
    }
    let details = credentials.details?.unpacked(StreamUserDetails.self)
    #expect(credentials.token == "a.b.c" && details?.text.contains(#""id":"ann""#) == true)
    #expect(frame.text.contains("products") == (kind == .javascript || kind == .python))
    #expect(client(kind).encode(.refresh(Credentials(token: "x")), of: Self.ann) == nil)
  }

  @Test
  func `a ping has the shapes of four SDKs`() {
    func ping(_ kind: StreamVideoSDK) -> String? { client(kind).encode(.ping, of: Self.ann)?.text }
    #expect(
      ping(.javascript)
        == #"[{"type":"health.check","client_id":"ann--00000000-0000-4007-a000-000000000001"}]"#)
    #expect(ping(.flutter) == #"[{"type":"health.check","client_id":"conn"}]"#)
    #expect(ping(.python) == #"{"type":"health.check","client_id":"conn"}"#)
    #expect(ping(.android) == #"{"type":"connection.ok"}"#)
    #expect(ping(.swift) == nil)
  }

  @Test(arguments: StreamVideoSDK.allCases)
  func `the gateway's messages are understood`(kind: StreamVideoSDK) throws {
    let client = client(kind)
    func heard(_ message: OutboundMessage) throws -> ServerNotice? {
      let frame = try #require(server(kind).encode(message, context))
      return frame.payload.withUnsafeBytes { client.decode($0, frame.kind) }
    }
    let connection = ConnectionID(loop: 0, serial: 1)
    let connected = try heard(
      .connected(connection, user: UserID("ann"), kind: .regular, expiresIn: nil, request: nil, welcome: "{}"))
    guard case .connected(_, let welcome) = connected else {
      Issue.record("not a login: \(String(describing: connected))")
      return
    }
    #expect(welcome.connection == StreamConnectionID.text(connection))
    #expect((welcome.greeting != nil) == (kind == .android))
    #expect(try heard(.pong(request: nil)) == .alive)
    #expect(try heard(.refreshRequired(.expiry, timeout: .zero)) == .error(number: 40, name: "40 token_expired"))
    #expect(
      try heard(.loginRefused(.tokenMalformed, request: nil)) == .error(number: 5, name: "5 authentication"))
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"type":"connection.ok"}"#, #"{"type":"connection.ok","connection_id":""}"#,
    #"{"type":"connection.error"}"#, #"{"type":"connection.error","error":{"code":"40"}}"#, #"{"type":"news"}"#,
  ])
  func `nonsense of the gateway is ignored`(text: String) {
    #expect(Array(text.utf8).withUnsafeBytes { client(.javascript).decode($0, .text) } == nil)
  }

  @Test
  func `tokens are requested from the application's provider, which the gateway's replaces`() {
    let client = StreamVideoClientDialect(.swift, apiKey: "key", providerSecret: Credentials(token: "s"))
    let request = client.tokenRequest(for: UserID("a"), life: .lasting(.seconds(5)), at: WallTime(seconds: 0))
    #expect(request.path == "/v1/tokens" && request.bearerToken == "s")
    #expect(String(decoding: request.body, as: UTF8.self) == #"{"user_id":"a","scheme":"stream-video","life_s":5}"#)
    #expect(client.keyRequest(of: Self.ann) == nil && client.registration(of: Self.ann.user) == nil)
  }
}
