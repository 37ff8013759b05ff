import GatewayCore
import Testing

@testable import GatewaySendbird

struct SendbirdClientDialectTests {
  private let server = SendbirdDialect(SendbirdSettings(apiToken: Credentials(token: "secret")))
  private let context = DialectContext(
    connection: ConnectionID(loop: 0, serial: 1), isLoggedIn: true, now: WallTime(seconds: 1_700_000_000))

  private static let first = ClientIdentity(
    user: UserID("ann b"), token: Credentials(token: "a.b-c_d"), now: WallTime(seconds: 1_700_000_000))
  private static var back: ClientIdentity {
    var client = first
    client.key = Credentials(token: "0123abcd")
    return client
  }

  private func client(_ kind: SendbirdSDK, apiToken: Credentials? = nil) -> SendbirdClientDialect {
    SendbirdClientDialect(kind, applicationID: "APP", apiToken: apiToken)
  }

  /// Returns the upgrade as a gateway receives it.
  private func upgrade(_ kind: SendbirdSDK, _ client: ClientIdentity) -> HTTPRequest {
    let upgrade = self.client(kind).upgrade(of: client)
    var request = upgrade.request
    if !upgrade.subprotocols.isEmpty {
      request.headers.append(HTTPField("sec-websocket-protocol", upgrade.subprotocols.joined(separator: ", ")))
    }
    return request
  }

  private func heard(_ text: String, _ kind: SendbirdSDK = .javascript) -> ServerNotice? {
    Array(text.utf8).withUnsafeBytes { client(kind).decode($0, .text) }
  }

  @Test(arguments: SendbirdSDK.allCases)
  func `the credentials arrive in each of the SDK's ways`(kind: SendbirdSDK) {
    let first = upgrade(kind, Self.first)
    #expect(server.accepts(first))
    #expect(server.credentials(in: first) == Credentials(token: "a.b-c_d"))
    #expect(first.parameter("user_id") == "ann b" && first.parameter("ai") == "APP")
    #expect(server.details(of: first)?.unpacked(SendbirdUpgrade.self)?.isExpiring == true)
    let back = upgrade(kind, Self.back)
    #expect(server.credentials(in: back)?.details?.unpacked(SendbirdDetails.self)?.key == "0123abcd")
    // Only Unity names its user and presents its token again.
    #expect((back.parameter("user_id") != nil) == (kind == .unity))
    #expect(server.credentials(in: back)?.token == (kind == .unity ? "a.b-c_d" : ""))
  }

  @Test
  func `the subprotocol is percent-encoded JSON that the gateway accepts unchanged`() {
    let request = upgrade(.javascript, Self.first)
    #expect(request.header("sec-websocket-protocol") == "%7B%22token%22%3A%22a.b-c_d%22%7D")
    #expect(server.subprotocol(for: request) == request.header("sec-websocket-protocol"))
    #expect(upgrade(.javascript3, Self.first).header("sec-websocket-protocol") == nil)
  }

  @Test(arguments: SendbirdSDK.allCases)
  func `the gateway speaks first, and a refresh and a ping are the SDK's`(kind: SendbirdSDK) throws {
    let client = client(kind)
    #expect(client.encode(.connect(Credentials(token: "x")), of: Self.first) == nil)
    let refresh = try #require(client.encode(.refresh(Credentials(token: "new")), of: Self.first))
    let message = try refresh.payload.withUnsafeBytes { try server.decode($0, refresh.kind, context) }
    guard case .credentials(let credentials, let request) = message else {
      Issue.record("not a refresh: \(refresh.text)")
      return
    }
    #expect(credentials.token == "new" && request != nil)
    #expect(refresh.text.contains(kind == .unity ? #""expiring_session":true"# : #""expiring_session":1"#))
    let ping = try #require(client.encode(.ping, of: Self.first))
    let pinged = try ping.payload.withUnsafeBytes { try server.decode($0, ping.kind, context) }
    guard case .ping = pinged else {
      Issue.record("not a ping: \(ping.text)")
      return
    }
    #expect(ping.text.hasPrefix("PING{") && ping.text.hasSuffix("}\n"))
    #expect(ping.text.contains("1700000000000") == (kind != .unity))
  }

  @Test
  func `the gateway's messages are understood`() {
    let login =
      #"LOGI{"user_id":"ann","key":"k","ping_interval":15,"pong_timeout":5,"#
      + #""reconnect":{"interval":1,"max_interval":8,"mul":2,"retry_cnt":3}}"#
    var welcome = Welcome()
    welcome.key = Credentials(token: "k")
    welcome.pingInterval = .seconds(15)
    welcome.pongTimeout = .seconds(5)
    welcome.schedule = .growing(first: .seconds(1), factor: 2, cap: .seconds(8), tries: 3)
    #expect(heard(login) == .connected(nil, welcome))
    #expect(heard(#"LOGI{"req_id":"1","new_key":"k2"}"# + "\n") == .keyRenewed(Credentials(token: "k2")))
    #expect(heard(#"PONG{"ts":1,"sts":1}"#) == .alive)
    let expired = ServerNotice.error(number: 400_302, name: "400302 token_invalid")
    #expect(heard(#"LOGI{"error":true,"code":400302,"message":"x"}"#) == expired)
    #expect(heard(#"EROR{"error":true,"code":400302,"message":"x","req_id":"1"}"#) == expired)
    // Without a request id every simulated SDK ignores it.
    #expect(heard(#"EROR{"error":true,"code":400302,"message":"x"}"#) == nil)
  }

  @Test
  func `the reason of a session event decides the client's reaction, and not all SDKs read all reasons`() {
    for text in [#"EXPR{"expires_in":0}"#, "EXPR{}", #"EXPR{"reason":400309}"#] {
      #expect(heard(text) == .refreshRequired(timeout: nil, with: .anyToken))
    }
    #expect(heard(#"EXPR{"reason":400302}"#) == .refreshRequired(timeout: nil, with: .newToken))
    #expect(heard(#"EXPR{"reason":400310}"#) == .sessionClosed(name: "400310 session_revoked"))
    #expect(heard(#"EXPR{"reason":400300}"#) == .sessionClosed(name: "400300 user_deactivated"))
    #expect(heard(#"EXPR{"reason":400300}"#, .javascript3) == nil)
    #expect(heard(#"EXPR{"expires_in":-1}"#) == nil)
    #expect(heard(#"EXPR{"expires_in":-1}"#, .unity) == .refreshRequired(timeout: nil, with: .anyToken))
    let busy = #"BUSY{"retry_after":3,"reason_code":1,"message":"x"}"#
    #expect(heard(busy) == .busy(retryAfter: .seconds(3)) && heard(busy, .unity) == nil)
  }

  @Test(arguments: [
    "", "LOGI", "LOGI{", "LOGI[]", "LOGI{}", #"LOGI{"key":""}"#, #"LOGI{"key":7}"#, #"EROR{"req_id":"1","code":"x"}"#,
    #"EXPR{"reason":5}"#, #"EXPR{"reason":1e300}"#, #"BUSY{}"#, "NEWS{}", "{}",
  ])
  func `nonsense of the gateway is ignored`(text: String) {
    #expect(heard(text) == nil)
  }

  @Test
  func `exaggerated times of a gateway are limited to a day`() {
    let text = #"LOGI{"key":"k","ping_interval":1e300,"reconnect":{"interval":-5,"max_interval":1e300,"mul":1e300}}"#
    guard case .connected(_, let welcome) = heard(text) else {
      Issue.record("not a login")
      return
    }
    #expect(welcome.pingInterval == .seconds(86_400))
    #expect(welcome.schedule == .growing(first: .zero, factor: 1000, cap: .seconds(86_400), tries: nil))
  }

  @Test
  func `tokens are requested of the Platform API if its secret is known, else of the gateway's provider`() {
    let now = WallTime(seconds: 1000)
    let platform = client(.javascript, apiToken: Credentials(token: "api"))
    let request = platform.tokenRequest(for: UserID("a/b"), life: .lasting(.seconds(5)), at: now)
    #expect(request.path == "/v3/users/a%2Fb/token" && request.header("api-token") == "api")
    #expect(String(decoding: request.body, as: UTF8.self) == #"{"expires_at":1005000}"#)
    #expect(platform.registration(of: UserID("a"))?.path == "/v3/users")
    let own = client(.javascript).tokenRequest(for: UserID("a"), life: .lasting(.seconds(5)), at: now)
    #expect(own.path == "/v1/tokens" && client(.javascript).registration(of: UserID("a")) == nil)
    #expect(String(decoding: own.body, as: UTF8.self) == #"{"user_id":"a","scheme":"sendbird","life_s":5}"#)
  }

  @Test
  func `a session key is requested with the token, and the answer is read`() throws {
    let request = try #require(client(.javascript).keyRequest(of: Self.back))
    #expect(request.path == "/v3/users/ann%20b/session_key" && request.header("access-token") == "a.b-c_d")
    func answer(_ status: Int, _ body: String, _ kind: SendbirdSDK = .javascript) -> SessionKeyAnswer? {
      client(kind).key(in: HTTPResponse(status: status, body: Array(body.utf8)))
    }
    #expect(answer(200, #"{"key":"k"}"#) == .key(Credentials(token: "k")))
    #expect(answer(200, #"{"new_key":"k"}"#) == nil)
    #expect(answer(200, #"{"new_key":"k"}"#, .unity) == .key(Credentials(token: "k")))
    #expect(answer(400, #"{"error":true,"code":400302}"#) == .refused(number: 400_302))
    #expect(answer(502, "<html>") == nil)
  }
}
