internal import GatewayCore
internal import GatewayKit

extension StreemDirectory {
  private static let webhooks = StoreTable<StreemWebhook>("streem.webhook")
  /// The maximum number of signing keys of one webhook.
  static let signingKeysMax = 10

  /// Returns the webhooks of a company, in the order of their ids.
  func webhooks(of company: Name, at now: WallTime) async throws(GatewayError) -> [StreemWebhook] {
    try await GatewayError.asking { () async throws(StoreError) in
      try await store.scan(Self.webhooks.range(company.text), limit: limits.webhooksPerCompany, at: now).map {
        (entry) throws(StoreError) in try entry.value(as: StreemWebhook.self)
      }
    }
  }

  /// Returns the webhooks with these companies and ids, in their order; nil for those that are no more.
  func webhooks(
    _ ids: [(company: Name, sid: Name)], at now: WallTime
  ) async throws(StoreError) -> [StreemWebhook?] {
    try await store.read(ids.map { Self.webhooks.key($0.company.text, $0.sid.text) }, at: now).map {
      (entry) throws(StoreError) in try entry?.value(as: StreemWebhook.self)
    }
  }

  /// Stores a webhook under its id. Throws `GatewayError.tooMany` if its company has the maximum.
  func addWebhook(_ webhook: StreemWebhook, at now: WallTime) async throws(GatewayError) {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      put(webhook, in: &transaction)
    }
  }

  /// Adds a key to the webhook with that company and id, and returns the webhook. Throws `GatewayError.notFound` if
  /// there is none.
  func addSigningKey(
    _ key: StreemWebhook.SigningKey, to sid: Name, of company: Name, at now: WallTime
  ) async throws(GatewayError) -> StreemWebhook {
    try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(GatewayError) -> StreemWebhook in
      var webhook = try await known(sid, of: company, in: &transaction)
      guard webhook.keys.count < Self.signingKeysMax else {
        throw .tooMany.detailed("\(Self.signingKeysMax) signing keys of one webhook")
      }
      webhook.keys.append(key)
      put(webhook, in: &transaction)
      return webhook
    }
  }

  /// Removes the webhook with that company and id, with its keys. Throws `GatewayError.notFound` if there is none.
  func removeWebhook(_ sid: Name, of company: Name, at now: WallTime) async throws(GatewayError) {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      _ = try await known(sid, of: company, in: &transaction)
      transaction.delete(Self.webhooks.key(company.text, sid.text))
    }
  }

  private func known(
    _ sid: Name, of company: Name, in transaction: inout Transaction
  ) async throws(GatewayError) -> StreemWebhook {
    let found = try await transaction.get(Self.webhooks.key(company.text, sid.text), as: StreemWebhook.self)
    guard let found else { throw .notFound.detailed("there is no such webhook") }
    return found
  }

  private func put(_ webhook: StreemWebhook, in transaction: inout Transaction) {
    let count = StoreCount(
      "streem.webhooks", webhook.company.text, atMost: limits.webhooksPerCompany, of: "webhooks of one company")
    transaction.put(Self.webhooks.key(webhook.company.text, webhook.sid.text), webhook, in: [count])
  }
}
