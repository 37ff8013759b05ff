package import GatewayCore
package import GatewayKit
package import GatewayTokens

/// The secret of a gateway that was given none, kept in its store.
///
/// The tokens that it has signed, e.g. a guest's, are valid after a restart.
package enum KeptSecret {
  /// Returns the store's secret, which is created from `chance` the first time.
  package static func secret(
    in store: any Store, at now: WallTime, from chance: Secrets
  ) async throws(GatewayError) -> String {
    // Long enough for every HMAC.
    try await StoredSecret.text(in: store, at: now) { Base64URL.encode(chance.bytes(48)) }
  }
}
