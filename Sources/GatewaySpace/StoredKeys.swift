internal import GatewayCore
internal import GatewayIdentity
internal import GatewayKit
internal import GatewayTokens

/// The last good keys of each issuer, in rows of a store.
struct StoredKeys: KeyKeeper {
  private struct Row: StoreValue {
    /// The address of the keys. Keys of another address are not used.
    var place: String
    var set: String
    var readAt: WallTime
  }

  private static let rows = StoreTable<Row>("gateway.issuer.keys")

  let store: any Store

  func kept(of issuer: IssuerSettings, at now: WallTime) async -> KeptKeys? {
    guard let entry = try? await store.read([Self.rows.key(issuer.policy.issuer?.text ?? "")], at: now)[0],
      let row = try? entry.value(as: Row.self), Name(row.place) == Name(issuer.placeText)
    else { return nil }
    return KeptKeys(set: Array(row.set.utf8), readAt: row.readAt)
  }

  func keep(_ keys: KeptKeys, of issuer: IssuerSettings, at now: WallTime) async {
    guard let set = String(validating: keys.set, as: UTF8.self) else { return }
    let row = Row(place: issuer.placeText, set: set, readAt: keys.readAt)
    let key = Self.rows.key(issuer.policy.issuer?.text ?? "")
    // A store that is away keeps the earlier set, which is the worse one only after a rotation.
    _ = try? await store.settle(
      StoreCommit(writes: [StoreCommit.Write(key, row, expires: keys.readAt + KeptKeys.stale)]), at: now)
  }
}
