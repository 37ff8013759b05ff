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

/// A gateway in virtual time that sends webhooks to `app.example`, and must send none to `other.example`.
struct WebhookSpace {
  let inner: TestSpace<PlainVendor>
  let backend = VirtualBackend()
  let other = VirtualBackend()
  let logs = LogKeeper()
  let sender: WebhookSender

  static let url = "https://app.example/hook"

  init(allowsLoopback: Bool = false, keepsJournal: Bool = false) throws {
    let own = JWTVerifier(
      keys: try KeySet([try VerificationKey(try KeyMaterial.secret(Array(IdentitySpace.secret.utf8)))]))
    var configuration = GatewayConfiguration(session: try SessionPolicy())
    configuration.log = logs.log
    var settings = SpaceSettings(
      configuration: configuration, vendors: [PlainSettings(verifier: own)], issuer: FakeTokens(),
      provider: try TokenProviderPolicy())
    var webhooks = WebhookSettings()
    webhooks.destinations = [
      WebhookSettings.Destination(host: "App.Example", port: 443),
      WebhookSettings.Destination(host: "down.example", port: 443),
    ]
    webhooks.allowsLoopback = allowsLoopback
    settings.webhooks = webhooks
    settings.takesFaults = keepsJournal
    inner = try TestSpace(settings, loops: keepsJournal ? 1 : 2, keepsTrace: false)
    sender = try #require(inner.space.webhooks)
    sender.open("vendor")
    for (host, port, site) in [
      ("app.example", 443, backend), ("app.example", 444, other), ("other.example", 443, other),
      ("127.0.0.1", 80, other), ("127.0.0.1", 9_000, other),
    ] {
      inner.network.listen(on: DialTarget(host: host, port: port), loops: [inner.clients], site: site)
    }
    backend.answers[""] = { HTTPResponse(status: 200) }
    let (dialers, whole) = (inner.world.loops.map { SimulatedDialer(inner.network, on: $0) }, inner.space)
    _ = inner.world.ask { () async -> Void in try? await whole.beginAsking(by: dialers, names: nil) }
  }

  /// Posts webhooks on a loop of the gateway.
  func post(_ numbers: Range<Int>, about key: (Int) -> String = { _ in "k" }, to url: String = url, _ rule: WebhookRule)
  {
    let webhooks = numbers.map { number in
      Webhook(
        "vendor", of: Name("app"), to: url, about: Name(key(number)), Array("\(number)".utf8), rule: rule,
        signedIn: "x-signature"
      ) { attempt, _, body in
        [HTTPField("x-attempt", String(attempt)), HTTPField("X-Signature", "00," + Webhook.hex(body))]
      }
    }
    _ = inner.world.ask { [sender] () async -> Void in for webhook in webhooks { sender.post(webhook) } }
  }

  /// Runs until nothing waits or is in flight. Returns false if that does not come.
  func settle() -> Bool {
    inner.world.run(within: .seconds(86_400)) { [sender] in sender.isIdle }
  }

  /// The bodies that the backend got, each with the number of its attempt.
  var seen: [String] {
    backend.requests.map { String(decoding: $0.body, as: UTF8.self) + "/" + ($0.header("x-attempt") ?? "") }
  }

  var bodies: [String] { backend.requests.map { String(decoding: $0.body, as: UTF8.self) } }
}
