package import GatewayCore

/// Sends webhooks to the application's backend.
package protocol WebhookOutlet: Sendable {
  /// Has the webhooks of that vendor counted, so that its series are there before its first.
  ///
  /// - Parameter restore: Makes webhooks again that an earlier process left in the store.
  func open(_ vendor: String, restoring restore: @escaping WebhookRestorer)

  /// Queues a webhook, and returns at once. From any thread. The outlet counts and logs what it cannot send; no failure
  /// reaches the caller.
  func post(_ webhook: Webhook)
}

/// Returns the webhooks of rows, in their order, to be signed with the keys of now; nil for one that cannot be sent any more.
package typealias WebhookRestorer =
  @Sendable (_ rows: [StoredWebhook], _ now: WallTime) async throws(StoreError) -> [Webhook?]
