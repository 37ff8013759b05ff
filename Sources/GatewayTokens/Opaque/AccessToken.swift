internal import GatewayCore

/// An opaque access token: `pat_` and 32 random bytes in base64url.
///
/// A store keeps the token's data under its SHA-256, so that a reader of the store cannot log in. With 256 random bits the hash
/// needs neither salt nor a slow function.
package enum AccessToken {
  package static let prefix = "pat_"
  private static let secretSize = 32

  /// Returns whether `token` has an access token's prefix. A JWT never does, since its first character is the `e` of `{"`.
  package static func isOne(_ token: String) -> Bool {
    token.hasPrefix(prefix)
  }

  /// Makes a new token, and returns it with the hash to store it under.
  package static func mint(from secrets: Secrets) -> (token: String, hash: [UInt8]) {
    let token = prefix + Base64URL.encode(secrets.bytes(secretSize))
    return (token, SHA256.digest(token.utf8))
  }

  /// Returns the hash that `token` is stored under; nil if it does not have the form of an access token, so no store need be
  /// asked.
  package static func hash(of token: String) -> [UInt8]? {
    // Checks the length first, so that only possible tokens are decoded.
    guard token.utf8.count == prefix.utf8.count + 43, isOne(token),
      Base64URL.decode(String(token.dropFirst(prefix.count)))?.count == secretSize
    else { return nil }
    return SHA256.digest(token.utf8)
  }
}
