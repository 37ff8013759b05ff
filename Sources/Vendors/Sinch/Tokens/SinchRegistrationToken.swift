package import GatewayCore

/// The content of a registration token, after every check that needs no directory.
package struct SinchRegistrationToken: Hashable, Sendable {
  package var application: Name
  package var user: UserID
  /// The kind in the claim `postern:user:kind`, which is ours: the vendor has neither guests nor anonymous users.
  package var kind: UserKind
  package var nonce: Name
  package var issuedAt: WallTime
  package var expiresAt: WallTime
  /// The end of the registration; nil for none.
  package var instanceEndsAt: WallTime?
  package var fingerprint: TokenFingerprint

  static let issuerPrefix = "//rtc.sinch.com/applications/"
  static let kindClaim: StaticString = "postern:user:kind"
  /// The name of a claim that is ours too: its value `any` allows lives below the vendor's minimum. Writing it needs
  /// the application's secret; the built-in token provider writes it, so that a registration ends when requested.
  static let lifeClaim: StaticString = "postern:life"
  static let anyLife = "any"
}
