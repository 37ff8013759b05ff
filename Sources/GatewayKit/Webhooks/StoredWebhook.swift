package import GatewayCore

/// A webhook as a store has it: everything but the keys that sign it.
package struct StoredWebhook: Codable, Hashable, Sendable {
  package var vendor: Name
  package var application: Name
  package var url: String
  /// The subject.
  package var key: Name
  package var body: String
  /// The vendor's own texts, e.g. the id of the webhook.
  package var notes: [String]
  /// The number of attempts that have failed.
  package var attempts: Int
  package var madeAt: WallTime

  /// Creates the row of a webhook; nil if its body is not text.
  package init?(_ webhook: Webhook, attempts: Int, madeAt: WallTime) {
    guard let body = String(validating: webhook.body, as: UTF8.self) else { return nil }
    vendor = Name(webhook.vendor)
    application = webhook.application
    url = webhook.url
    key = webhook.key
    self.body = body
    notes = webhook.notes
    self.attempts = attempts
    self.madeAt = madeAt
  }
}
