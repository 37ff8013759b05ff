internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

extension StreamEventHook {
  /// The members that name queues and topics. Their keys and secrets are not kept.
  private static let queueNames = [
    "sqs_queue_url", "sqs_region", "sqs_auth_type", "sqs_role_arn", "sns_topic_arn", "sns_region", "sns_auth_type",
    "sns_role_arn",
  ]

  /// Returns a new random id.
  static func newID(from secrets: Secrets) -> String {
    let words = secrets.bytes(16)
    let number = { (bytes: ArraySlice<UInt8>) in bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    return StreamGuestID.uuid(high: number(words.prefix(8)), low: number(words.suffix(8)))
  }

  /// Reads the hooks of an update, which replace all others. A hook without an id is a new one.
  ///
  /// - Parameter known: The hooks so far.
  static func read(
    _ views: [JSONView], replacing known: [StreamEventHook], from secrets: Secrets, at now: WallTime
  ) throws(StreamError) -> [StreamEventHook] {
    var hooks: [StreamEventHook] = []
    for (index, view) in views.enumerated() {
      let body = try StreamBody(view, inside: "event_hooks.\(index)")
      let id = try body.string("id", max: 64) ?? ""
      let old = id.isEmpty ? nil : known.first { $0.id.utf8.elementsEqual(id.utf8) }
      guard id.isEmpty || !hooks.contains(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
        throw body.wrong("id", "of one hook only")
      }
      hooks.append(
        try StreamEventHook(
          body, id: id.isEmpty ? newID(from: secrets) : id, createdAt: old?.createdAt ?? now, at: now))
    }
    return hooks
  }

  private init(_ body: StreamBody, id: String, createdAt: WallTime, at now: WallTime) throws(StreamError) {
    let type = try body.requiredString("hook_type", max: 64)
    guard Self.types.contains(where: { $0.utf8.elementsEqual(type.utf8) }) else {
      throw body.wrong("hook_type", "one of \(Self.types.joined(separator: ", "))")
    }
    let product = try body.string("product", max: 64) ?? "all"
    guard Self.products.contains(where: { $0.utf8.elementsEqual(product.utf8) }) else {
      throw body.wrong("product", "one of \(Self.products.joined(separator: ", "))")
    }
    let url = try body.string("webhook_url", max: 2_000) ?? ""
    if type.utf8.elementsEqual("webhook".utf8) { try body.checkWebhookURL(url) }
    var queues: [String: String] = [:]
    for name in Self.queueNames {
      if let text = try body.string(name, max: 2_000), !text.isEmpty { queues[name] = text }
    }
    self.init(
      id: id, type: type, isEnabled: try body.bool("enabled") ?? true, product: product, url: url,
      eventTypes: try body.strings("event_types", count: 500, max: 200) ?? [],
      sendsCustomEvents: try body.bool("should_send_custom_events") ?? false,
      timeoutMilliseconds: try body.integer("timeout_ms", in: 0...3_600_000) ?? 0, queues: queues,
      createdAt: createdAt, updatedAt: now)
  }

  func write(to json: inout JSONWriter, _ dates: StreamDates) {
    json.member("id", id)
    json.member("hook_type", type)
    json.member("enabled", isEnabled)
    json.member("product", product)
    if !url.isEmpty { json.member("webhook_url", url) }
    json.member("event_types", strings: eventTypes)
    json.member("should_send_custom_events", sendsCustomEvents)
    if timeoutMilliseconds > 0 { json.member("timeout_ms", timeoutMilliseconds) }
    for name in Self.queueNames {
      guard let text = queues[name] else { continue }
      json.name(name)
      json.string(text)
    }
    json.member("created_at", createdAt, dates)
    json.member("updated_at", updatedAt, dates)
  }
}

extension StreamOlderWebhook {
  /// Reads the older settings of an update; those that it leaves out stay.
  ///
  /// - Parameter known: The settings so far.
  static func read(
    _ body: StreamBody, replacing known: StreamOlderWebhook?
  ) throws(StreamError) -> StreamOlderWebhook {
    var webhook = known ?? StreamOlderWebhook()
    webhook.url = try body.string("webhook_url", max: 2_000) ?? webhook.url
    if !webhook.url.isEmpty { try body.checkWebhookURL(webhook.url) }
    webhook.eventTypes = try body.strings("webhook_events", count: 500, max: 200) ?? webhook.eventTypes
    return webhook
  }
}

extension StreamBody {
  /// Throws if the member `webhook_url` is no address.
  fileprivate func checkWebhookURL(_ url: String) throws(StreamError) {
    guard let address = WebAddress(url), ["http", "https"].contains(address.scheme) else {
      throw wrong("webhook_url", "an address that begins with http:// or https://")
    }
  }
}
