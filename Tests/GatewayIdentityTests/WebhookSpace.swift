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

  private static let rule = WebhookRule(
    timeout: .seconds(6), whole: .seconds(15), attemptsMax: 3, networkAttemptsMax: 2, repeated: .overload)

  /// - Parameters:
  ///   - begins: Whether it sends; one that does not is as good as killed.
  ///   - outlivesProcess: Whether webhooks are stored.
  init(
    allowsLoopback: Bool = false, keepsJournal: Bool = false, begins: Bool = true, outlivesProcess: Bool = false
  ) throws {
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
    inner = try TestSpace(settings, loops: keepsJournal ? 1 : 2, keepsTrace: false, outlivesProcess: outlivesProcess)
    sender = try #require(inner.space.webhooks)
    sender.open("vendor", restoring: { rows, _ in Self.restored(rows) })
    for (host, port, site) in [
      ("app.example", 443, backend), ("app.example", 444, other), ("other.example", 443, other),
      ("127.0.0.1", 80, other), ("127.0.0.1", 9_000, other),
    ] {
      inner.network.listen(on: DialTarget(host: host, port: port), loops: [inner.clients], site: site)
    }
    backend.answers[""] = { HTTPResponse(status: 200) }
    if begins { begin(inner.space) }
  }

  private func begin(_ whole: Space) {
    let dialers = inner.world.loops.map { SimulatedDialer(inner.network, on: $0) }
    _ = inner.world.ask { () async -> Void in try? await whole.beginAsking(by: dialers, names: nil) }
  }

  /// Returns the sender of another process on the same store, which has taken over what `dead` lives left and sends it.
  func next(_ life: NodeBoot, takingOver dead: DeadBoots = .everybody) throws -> WebhookSender {
    let space = try inner.second(life)
    let sender = try #require(space.webhooks)
    sender.open("vendor", restoring: { rows, _ in Self.restored(rows) })
    _ = inner.world.ask { () async -> Void in try? await space.takeOver(dead) }
    begin(space)
    return sender
  }

  private static func restored(_ rows: [StoredWebhook]) -> [Webhook?] {
    rows.map { webhook(Array($0.body.utf8), about: $0.key, to: $0.url, rule) }
  }

  private static func webhook(_ body: [UInt8], about key: Name, to url: String, _ rule: WebhookRule) -> Webhook {
    Webhook("vendor", of: Name("app"), to: url, about: key, body, rule: rule, signedIn: "x-signature") {
      attempt, _, body in
      [HTTPField("x-attempt", String(attempt)), HTTPField("X-Signature", "00," + Webhook.hex(body))]
    }
  }

  /// Posts webhooks on a loop of the gateway.
  func post(_ numbers: Range<Int>, about key: (Int) -> String = { _ in "k" }, to url: String = url, _ rule: WebhookRule)
  {
    let webhooks = numbers.map { number in
      Self.webhook(Array("\(number)".utf8), about: Name(key(number)), to: url, rule)
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
