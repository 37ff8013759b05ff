package import GatewayCore
package import GatewayJSON

extension JWTVerifier {
  /// Whether it has keys that were fetched.
  package var hasFetchedKeys: Bool { keys.keys.contains { $0.owner != nil } }

  /// Returns whether a fetched key signed the token, whatever its content.
  package func isOfFetchedKey(_ token: String, at now: WallTime) -> Bool {
    (try? open(token, at: now, isOfAnyType: true) { _, owner throws(TokenError) in owner != nil }) ?? false
  }

  /// Returns whether a fetched key has that name, compared by bytes.
  package func hasFetchedKey(named kid: JSONView) -> Bool {
    keys.keys.contains { $0.owner != nil && KeySet.isNamed($0, kid) }
  }
}
