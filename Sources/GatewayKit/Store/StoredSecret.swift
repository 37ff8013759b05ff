package import GatewayCore

/// Secrets that a gateway makes itself and keeps in its store. Every process of the store and each of their later lives has
/// the same: what one signs, all accept.
package enum StoredSecret {
  private struct Row: StoreValue {
    var secret: String
  }

  private static let table = StoreTable<Row>("gateway.secret")

  /// Returns the store's secret of that name; `make` makes it if the store has none. The empty name is the gateway's own.
  ///
  /// Whoever writes first decides: the answer of `make` is not the secret if another process was faster.
  package static func text(
    _ name: String = "", in store: any Store, at now: WallTime, make: @escaping @Sendable () -> String
  ) async throws(GatewayError) -> String {
    let key = name.isEmpty ? table.key() : table.key(name)
    return try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> String in
      if let kept = try await transaction.get(key, as: Row.self) { return kept.secret }
      let made = make()
      transaction.put(key, Row(secret: made))
      return made
    }
  }

  /// The same for bytes.
  package static func bytes(
    _ name: String, in store: any Store, at now: WallTime, make: @escaping @Sendable () -> [UInt8]
  ) async throws(GatewayError) -> [UInt8] {
    let text = try await text(name, in: store, at: now) { Base64URL.encode(make()) }
    guard let bytes = Base64URL.decode(text), !bytes.isEmpty else { throw damage(name) }
    return bytes
  }

  /// The error of a secret that cannot be used. It does not contain the secret.
  package static func damage(_ name: String) -> GatewayError {
    .internalError.detailed("the store's secret \(name) cannot be used; restore the store from a backup")
  }
}
