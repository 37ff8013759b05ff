import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayIdentity

/// A gateway in virtual time that asks everybody it can ask: the login for its keys, a server about opaque tokens, the
/// application's backend about its users. It takes logouts and security events, and sends webhooks.
struct SeededLogin {
  let inner: TestSpace<PlainVendor>
  let issuer = VirtualIssuer()
  let backend = VirtualBackend()
  let opaque = VirtualIntrospection()
  /// The receiver of webhooks.
  let receiver = VirtualBackend()
  let sender: WebhookSender
  let fetched: FetchedIssuer

  static let client: Name = "chat"
  static let recoverRate = 5
  private static let rule = WebhookRule(timeout: .seconds(6), attemptsMax: 3, repeated: .overload)

  init(seed: UInt64) throws {
    let own = JWTVerifier(
      keys: try KeySet([try VerificationKey(try KeyMaterial.secret(Array(IdentitySpace.secret.utf8)))]))
    var policy = TokenPolicy()
    policy.issuer = Name(VirtualIssuer.name)
    policy.audiences = ["realtime"]
    var login = try IssuerSettings(name: "login", .discovery, policy: policy)
    login.logoutAudiences = [Self.client]
    let logins = LoginIssuers([login], besides: own)
    fetched = logins.issuers[0]
    var asked = IntrospectionSettings(try EndpointAddress("https://opaque.example/introspect"), policy: TokenPolicy())
    asked.recheck = .seconds(20)
    let introspector = Introspector(asked, verifier: logins.verifier)
    var plain = PlainSettings(verifier: logins.verifier)
    plain.issuerKeys = logins
    plain.introspector = introspector
    var settings = SpaceSettings(
      configuration: GatewayConfiguration(session: try SessionPolicy()), vendors: [plain], issuer: FakeTokens(),
      provider: try TokenProviderPolicy())
    settings.identity = logins
    settings.introspector = introspector
    settings.signals.login = logins
    settings.signals.transmitter = SignalSettings.Transmitter(
      FetchedIssuer(
        try IssuerSettings(name: "events", .discovery, policy: policy),
        for: JWTVerifier(keys: own.keys, policy: own.policy)), audiences: [Self.client], secret: nil)
    var hooks = HookSettings()
    hooks.connect = try EndpointAddress("https://app.example/rt/connect")
    hooks.refresh = try EndpointAddress("https://app.example/rt/refresh")
    hooks.commands = try EndpointAddress("https://app.example/rt/subscribe")
    hooks.recoverRate = Self.recoverRate
    settings.hooks = hooks
    settings.webhooks = WebhookSettings()
    settings.webhooks?.destinations = [WebhookSettings.Destination(host: "hooks.example", port: 443)]
    settings.takesFaults = true
    inner = try TestSpace(settings, seed: seed, loops: 1, keepsTrace: false, isCluster: false)
    issuer.answer = { [unowned issuer] request in
      guard request.path.hasSuffix("openid-configuration") else {
        return HTTPResponse(status: 200, body: issuer.keySet)
      }
      let document = "{\"issuer\":\"\(VirtualIssuer.name)\",\"jwks_uri\":\"\(VirtualIssuer.name)/keys\"}"
      return HTTPResponse(status: 200, body: Array(document.utf8))
    }
    sender = try #require(inner.space.webhooks)
    sender.open("vendor", restoring: { rows, _ in rows.map { _ in nil } })
    for (host, site) in [
      ("login.example", issuer), ("app.example", backend), ("opaque.example", opaque), ("hooks.example", receiver),
    ] as [(String, any Site)] {
      inner.network.listen(on: DialTarget(host: host, port: 443), loops: [inner.clients], site: site)
    }
    let (dialers, space) = (inner.world.loops.map { SimulatedDialer(inner.network, on: $0) }, inner.space)
    let failure = inner.world.ask { () async -> OutboundFailure? in
      do throws(OutboundFailure) {
        try await space.beginAsking(by: dialers, names: nil)
        return nil
      } catch {
        return error
      }
    }
    try #require(failure == .some(nil))
  }

  /// The time in seconds, as tokens have it.
  var second: Int64 { inner.world.wallTime.nanoseconds / 1_000_000_000 }

  func connect(_ token: String) -> SimulatedPeer {
    inner.dial(
      HTTPRequest(method: "GET", path: "/v1/connect", headers: [HTTPField("authorization", "Bearer \(token)")]))
  }

  /// Has a logout of the user arrive. Returns the status of the answer.
  func logOut(_ user: String, id: String, by key: String) throws -> Int {
    let claims =
      "{\"iss\":\"\(VirtualIssuer.name)\",\"aud\":\"\(Self.client)\",\"iat\":\(second),\"exp\":\(second + 120),"
      + "\"jti\":\"\(id)\",\"events\":{\"\(SignalKind.logoutEvent)\":{}},\"sub\":\"\(user)\"}"
    let token = try issuer.sign(claims, by: key, type: "logout+jwt")
    return post("/identity/logout", "logout_token=\(token)", "application/x-www-form-urlencoded")
  }

  /// Has a security event about the user arrive. Returns the status of the answer.
  func endSession(of user: String, id: String, by key: String) throws -> Int {
    let subject = "{\"format\":\"iss_sub\",\"iss\":\"\(VirtualIssuer.name)\",\"sub\":\"\(user)\"}"
    let claims =
      "{\"iss\":\"\(VirtualIssuer.name)\",\"aud\":[\"\(Self.client)\"],\"iat\":\(second),\"jti\":\"\(id)\","
      + "\"sub_id\":\(subject),\"events\":{\"\(SignalKind.sessionRevoked.event)\":{}}}"
    return post("/identity/events", try issuer.sign(claims, by: key, type: "secevent+jwt"), "application/secevent+jwt")
  }

  private func post(_ path: String, _ body: String, _ type: String) -> Int {
    let request = HTTPRequest(
      method: "POST", path: path, headers: [HTTPField("content-type", type)], body: Array(body.utf8))
    guard case .success(let response)? = inner.fetch(request) else { return -1 }
    inner.world.settle()
    return response.status
  }

  func sendWebhook(_ number: Int) {
    let webhook = Webhook(
      "vendor", of: "app", to: "https://hooks.example/hook", about: Name("\(number % 3)"), Array("\(number)".utf8),
      rule: Self.rule, signedIn: "x-signature"
    ) { _, _, body in [HTTPField("x-signature", Webhook.hex(body))] }
    _ = inner.world.ask { [sender] () async -> Void in sender.post(webhook) }
  }

  var onGrace: Int { inner.space.hooks?.counts.onGrace ?? -1 }
}
