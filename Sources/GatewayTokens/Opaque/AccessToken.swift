internal import GatewayCore

/// An opaque access token: `pat_` and 32 bytes of chance in base64url. What one stands for, ann until noon for
/// instance, is stored under its SHA-256, so that whoever reads the store cannot log in; with 256 bits of chance the
/// hash needs no salt and no slowness.
package enum AccessToken {
  package static let prefix = "pat_"
  private static let secretSize = 32

  /// Whether `token` claims to be an access token; a JWT never does, since its first character is the `e` of `{"`.
  package static func isOne(_ token: String) -> Bool {
    token.hasPrefix(prefix)
  }

  /// A new token, and the hash to store it under.
  package static func mint(from secrets: Secrets) -> (token: String, hash: [UInt8]) {
    let token = prefix + Base64URL.encode(secrets.bytes(secretSize))
    return (token, SHA256.digest(token.utf8))
  }

  /// The hash that `token` is stored under; nil if it does not have the form of one, and no store need be asked.
  package static func hash(of token: String) -> [UInt8]? {
    // The length first: nothing is decoded that cannot be one.
    guard token.utf8.count == prefix.utf8.count + 43, isOne(token),
      Base64URL.decode(String(token.dropFirst(prefix.count)))?.count == secretSize
    else { return nil }
    return SHA256.digest(token.utf8)
  }
}
