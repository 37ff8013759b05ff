internal import GatewayCore
internal import GatewayKit
internal import Synchronization

/// The webhooks of a Stream application: its hooks as they were last set, and the requests that the vendor sends to them.
final class StreamWebhooks: Sendable {
  static let vendor = "stream"

  private let outlet: any WebhookOutlet
  private let newID: @Sendable () -> String
  private let sign: @Sendable (_ apiKey: String, _ body: [UInt8]) -> String?
  private let hooks = Mutex(StreamEventHooks())
  private let hasHooks = Atomic(false)

  private static let rule = WebhookRule(
    timeout: .seconds(6), whole: .seconds(15), attemptsMax: 3, networkAttemptsMax: 2, repeated: .overload)

  /// - Parameters:
  ///   - newID: Returns a new id of a webhook.
  ///   - sign: Returns the signature of a body by the secret of the application with that key; nil if it has none.
  init(
    _ outlet: any WebhookOutlet, newID: @escaping @Sendable () -> String,
    sign: @escaping @Sendable (_ apiKey: String, _ body: [UInt8]) -> String?
  ) {
    self.outlet = outlet
    self.newID = newID
    self.sign = sign
    outlet.open(Self.vendor) { rows, _ in
      rows.map { row in
        // They become header fields, and anybody may have written the row.
        guard row.notes.count == 2, row.notes.allSatisfy({ $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }) else {
          return nil
        }
        let body = Array(row.body.utf8)
        let fields = Self.fields(body, apiKey: row.notes[0], signedBy: sign)
        return Self.webhook(body, about: row.key, to: row.url, fields, apiKey: row.notes[0], id: row.notes[1])
      }
    }
  }

  /// Uses the hooks from now on.
  func take(_ all: StreamEventHooks) {
    hooks.withLock { $0 = all }
    hasHooks.store(all.isOn, ordering: .releasing)
  }

  /// Whether a hook takes events of that type.
  func wants(_ event: String, of product: String) -> Bool {
    hasHooks.load(ordering: .acquiring) && hooks.withLock { !$0.takers(of: event, of: product).isEmpty }
  }

  /// Queues an event for each hook that takes it, and returns at once. `body` is called only if there is one.
  ///
  /// - Parameter subject: What it is about; events about the same are sent in order.
  func post(_ event: String, of product: String, about subject: String, _ body: () -> [UInt8]) {
    guard hasHooks.load(ordering: .acquiring) else { return }
    let all = hooks.withLock { $0 }
    let takers = all.takers(of: event, of: product)
    guard !takers.isEmpty else { return }
    let body = body()
    let fields = Self.fields(body, apiKey: all.apiKey, signedBy: sign)
    for url in takers {
      outlet.post(Self.webhook(body, about: Name(subject), to: url, fields, apiKey: all.apiKey, id: newID()))
    }
  }

  private static func fields(
    _ body: [UInt8], apiKey: String, signedBy sign: (_ apiKey: String, _ body: [UInt8]) -> String?
  ) -> [HTTPField] {
    var fields = [HTTPField("content-type", "application/json"), HTTPField("x-api-key", apiKey)]
    if let signature = sign(apiKey, body) { fields.append(HTTPField("x-signature", signature)) }
    return fields
  }

  private static func webhook(
    _ body: [UInt8], about subject: Name, to url: String, _ fields: [HTTPField], apiKey: String, id: String
  ) -> Webhook {
    let usual = fields + [HTTPField("x-webhook-id", id)]
    return Webhook(
      vendor, of: Name(vendor), to: url, about: subject, body, rule: rule, signedIn: "x-signature", notes: [apiKey, id]
    ) { attempt, _, _ in usual + [HTTPField("x-webhook-attempt", String(attempt))] }
  }
}
