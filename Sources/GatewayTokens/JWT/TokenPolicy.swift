package import GatewayCore

/// The demands of a verifier on a token beyond a good signature: that clocks differ by 5 s at most, for instance, or
/// that `aud` names the gateway.
package struct TokenPolicy: Hashable, Sendable {
  /// How far clocks may differ: added to `exp`, taken from `nbf` and `iat`. Not negative.
  package var leeway: Duration = .seconds(5)
  /// The longest token looked at, in bytes.
  package var sizeMax = 8192
  /// The `iss` a token must have, byte for byte (RFC 7519 section 2); nil for any.
  package var issuer: Name?
  /// A token must name one of these in `aud`, byte for byte; empty for any.
  package var audiences: [Name] = []
  /// The `typ` a token must have, whatever its case and with or without `application/`; nil for any.
  package var type: String?
  /// Whether a token must have an `exp`.
  package var requiresExpiry = false

  package init() {}
}
