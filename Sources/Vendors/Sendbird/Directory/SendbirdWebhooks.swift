internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens
internal import Synchronization

/// The webhook settings of a Sendbird application, as its server has set them.
struct SendbirdWebhookSettings: Hashable, StoreValue {
  var isEnabled = false
  var url = ""
  var includesMembers = false
  /// The categories; one `*` for all.
  var events: [String] = []

  /// The categories of the events that are sent.
  static let categories = [
    "open_channel:create", "open_channel:message_send", "open_channel:message_update", "open_channel:message_delete",
    "open_channel:remove",
    "group_channel:create", "group_channel:message_send", "group_channel:message_update",
    "group_channel:message_delete",
    "group_channel:remove", "group_channel:invite", "group_channel:join", "group_channel:leave",
  ]

  /// Whether an event of that category is sent.
  func takes(_ category: String) -> Bool {
    isEnabled && !url.isEmpty
      && events.contains { $0.utf8.elementsEqual("*".utf8) || $0.utf8.elementsEqual(category.utf8) }
  }
}

/// The webhooks of a Sendbird application: its settings, and the requests that the vendor sends.
final class SendbirdWebhooks: Sendable {
  private static let vendor = "sendbird"
  private static let rule = WebhookRule(timeout: .seconds(5), attemptsMax: 3, repeated: .none)
  private static let row = StoreTable<SendbirdWebhookSettings>("sendbird.webhook").key()

  private let outlet: (any WebhookOutlet)?
  private let store: any Store
  private let secret: SendbirdSecret
  let applicationID: String
  private let settings = Mutex(SendbirdWebhookSettings())
  private let isOn = Atomic(false)

  /// - Parameter outlet: Sends the webhooks; nil if the settings are kept and nothing is sent.
  init(_ outlet: (any WebhookOutlet)?, store: any Store, secret: SendbirdSecret, applicationID: String) {
    self.outlet = outlet
    self.store = store
    self.secret = secret
    self.applicationID = applicationID
    outlet?.open(Self.vendor) { rows, _ in
      rows.map { Self.webhook(Array($0.body.utf8), about: $0.key, to: $0.url, signedBy: secret) }
    }
  }

  /// Reads the settings from the store.
  func learn(at now: WallTime) async throws(GatewayError) {
    take(try await current(at: now))
  }

  /// Returns the settings in the store.
  func current(at now: WallTime) async throws(GatewayError) -> SendbirdWebhookSettings {
    do throws(StoreError) {
      return try await store.get(Self.row, as: SendbirdWebhookSettings.self, at: now) ?? SendbirdWebhookSettings()
    } catch {
      throw GatewayError(error)
    }
  }

  /// Changes the settings, and returns them.
  func change(
    at now: WallTime, _ change: (inout SendbirdWebhookSettings) -> Void
  ) async throws(GatewayError) -> SendbirdWebhookSettings {
    let changed = try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> SendbirdWebhookSettings in
      var settings = try await transaction.get(Self.row, as: SendbirdWebhookSettings.self) ?? SendbirdWebhookSettings()
      change(&settings)
      transaction.put(Self.row, settings)
      return settings
    }
    take(changed)
    return changed
  }

  private func take(_ fresh: SendbirdWebhookSettings) {
    settings.withLock { $0 = fresh }
    isOn.store(fresh.isEnabled && outlet != nil, ordering: .releasing)
  }

  /// Returns the settings if an event of that category is sent; nil if it is not.
  func wants(_ category: String) -> SendbirdWebhookSettings? {
    guard isOn.load(ordering: .acquiring) else { return nil }
    let settings = settings.withLock { $0 }
    return settings.takes(category) ? settings : nil
  }

  /// Queues an event, and returns at once.
  ///
  /// - Parameter channel: The URL of its channel; events of one channel are sent in order.
  func post(_ body: [UInt8], about channel: Name, by settings: SendbirdWebhookSettings) {
    outlet?.post(Self.webhook(body, about: channel, to: settings.url, signedBy: secret))
  }

  private static func webhook(
    _ body: [UInt8], about channel: Name, to url: String, signedBy secret: SendbirdSecret
  ) -> Webhook {
    let signature = Webhook.hex(HMACSHA256.code(key: Array(secret.credentials.token.utf8), body))
    let fields = [
      HTTPField("user-agent", "SendBird"), HTTPField("content-type", "application/json"),
      HTTPField("x-sendbird-signature", signature),
    ]
    return Webhook(
      vendor, of: Name(vendor), to: url, about: channel, body, rule: rule, signedIn: "x-sendbird-signature"
    ) { _, _, _ in fields }
  }
}
