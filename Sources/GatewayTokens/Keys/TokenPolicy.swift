package import GatewayCore

/// The requirements of a verifier for a token besides a valid signature.
package struct TokenPolicy: Hashable, Sendable {
  /// The tolerated clock difference: added to `exp`, subtracted from `nbf` and `iat`. Not negative.
  package var leeway: Duration = .seconds(5)
  /// The longest accepted token, in bytes.
  package var sizeMax = 8192
  /// The `iss` a token must have, byte for byte (RFC 7519 section 2); nil for any.
  package var issuer: Name?
  /// The audiences, one of which a token must name in `aud`, byte for byte; empty for any.
  package var audiences: [Name] = []
  /// The `typ` a token must have, in any case and with or without `application/`; nil for any.
  package var type: String?
  /// Whether a token must have an `exp`.
  package var requiresExpiry = false

  package init() {}
}
