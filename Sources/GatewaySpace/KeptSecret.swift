package import GatewayCore
package import GatewayKit
package import GatewayTokens

/// The secret of a gateway that was given none, kept in its store.
///
/// The tokens that it has signed, e.g. a guest's, are valid after a restart.
package enum KeptSecret {
  private struct Row: StoreValue {
    var secret: String
  }

  private static let table = StoreTable<Row>("gateway.secret")

  /// The store's secret, made of `chance` the first time.
  package static func secret(
    in store: any Store, at now: WallTime, from chance: Secrets
  ) async throws(GatewayError) -> String {
    // Long enough for every HMAC.
    let made = Base64URL.encode(chance.bytes(48))
    return try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> String in
      if let kept = try await transaction.get(table.key(), as: Row.self) { return kept.secret }
      transaction.put(table.key(), Row(secret: made))
      return made
    }
  }
}
