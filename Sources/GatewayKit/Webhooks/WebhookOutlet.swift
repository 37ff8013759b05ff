/// Sends webhooks to the application's backend.
package protocol WebhookOutlet: Sendable {
  /// Has the webhooks of that vendor counted, so that its series are there before its first.
  func open(_ vendor: String)

  /// Queues a webhook, and returns at once. From any thread. The outlet counts and logs what it cannot send; no failure
  /// reaches the caller.
  func post(_ webhook: Webhook)
}
