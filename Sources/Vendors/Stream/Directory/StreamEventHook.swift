internal import GatewayCore

/// A place that the application has set for events, e.g. a webhook.
struct StreamEventHook: Hashable, Codable, Sendable {
  /// The kinds of places by `hook_type`. Only webhooks are sent.
  static let types = ["webhook", "sqs", "sns", "pending_message"]
  /// The products by whose events hooks are chosen.
  static let products = ["all", "chat", "video", "moderation", "feeds"]

  var id: String
  var type: String
  var isEnabled: Bool
  var product: String
  /// Empty if there is none.
  var url: String
  /// The types of the events that are sent; empty for all.
  var eventTypes: [String]
  var sendsCustomEvents: Bool
  /// The time for a pending message; 0 for none.
  var timeoutMilliseconds: Int64
  /// The names of queues and topics, by their members. Their keys are not kept.
  var queues: [String: String]
  var createdAt: WallTime
  var updatedAt: WallTime

  /// Whether events of that type and product are sent to it.
  func takes(_ event: String, of product: String) -> Bool {
    isEnabled && type.utf8.elementsEqual("webhook".utf8) && (isOf("all") || isOf(product))
      && (eventTypes.isEmpty || eventTypes.contains { $0.utf8.elementsEqual(event.utf8) })
  }

  private func isOf(_ other: String) -> Bool { product.utf8.elementsEqual(other.utf8) }
}

/// The hooks of an application.
struct StreamEventHooks: Hashable, Codable, Sendable {
  var hooks: [StreamEventHook] = []
  /// The API key by which they were set, which is sent with each webhook.
  var apiKey = ""
  /// The application's older webhook, which is beside the hooks; nil for none.
  var older: StreamOlderWebhook?

  static let countMax = 64

  /// Whether any event is sent.
  var isOn: Bool { older?.url.isEmpty == false || hooks.contains(where: \.isEnabled) }

  /// Returns the addresses that events of that type and product are sent to.
  func takers(of event: String, of product: String) -> [String] {
    hooks.filter { $0.takes(event, of: product) }.map(\.url) + (older?.takes(event) == true ? [older?.url ?? ""] : [])
  }
}
