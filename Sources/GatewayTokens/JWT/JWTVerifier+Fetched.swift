package import GatewayCore
package import GatewayJSON

extension JWTVerifier {
  /// Returns whether a fetched key signed the token, whatever its content.
  package func isOfFetchedKey(_ token: String, at now: WallTime) -> Bool {
    (try? open(token, at: now, isOfAnyType: true) { _, owner throws(TokenError) in owner != nil }) ?? false
  }

  /// Returns whether a key that was fetched from `owner` signed the token, whatever its content.
  package func isOfFetchedKey(_ token: String, of owner: KeyOwner, at now: WallTime) -> Bool {
    (try? open(token, at: now, isOfAnyType: true) { _, vouching throws(TokenError) in vouching === owner }) ?? false
  }

  /// Returns whether a key that was fetched from `owner` has that name, compared by bytes.
  package func hasFetchedKey(named kid: JSONView, of owner: KeyOwner) -> Bool {
    keys.keys.contains { $0.owner === owner && KeySet.isNamed($0, kid) }
  }
}
