internal import GatewayCore
internal import GatewayKit

/// A row of a webhook that is not delivered yet. A row of another form is one without a webhook.
struct WebhookRow: StoreValue {
  var webhook: StoredWebhook?

  init(_ webhook: StoredWebhook) { self.webhook = webhook }

  init(from decoder: any Decoder) { webhook = try? StoredWebhook(from: decoder) }

  func encode(to encoder: any Encoder) throws { try webhook?.encode(to: encoder) }
}

/// The row that says which process has the webhooks of an origin. A row of another form is one that nobody owns.
struct WebhookOwner: StoreValue {
  var life: NodeBoot?

  private enum CodingKeys: CodingKey { case life }

  init(_ life: NodeBoot) { self.life = life }

  init(from decoder: any Decoder) {
    life = try? decoder.container(keyedBy: CodingKeys.self).decode(NodeBoot.self, forKey: .life)
  }
}
