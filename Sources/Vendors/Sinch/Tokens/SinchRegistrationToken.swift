internal import GatewayCore

/// The content of a registration token, after every check that needs no directory.
struct SinchRegistrationToken: Hashable, Sendable {
  var application: Name
  var user: UserID
  /// The kind in the claim `postern:user:kind`, which is ours: the vendor has neither guests nor anonymous users.
  var kind: UserKind
  var nonce: Name
  var issuedAt: WallTime
  var expiresAt: WallTime
  /// The end of the registration; nil for none.
  var instanceEndsAt: WallTime?
  var fingerprint: TokenFingerprint

  static let issuerPrefix = "//rtc.sinch.com/applications/"
  static let kindClaim: StaticString = "postern:user:kind"
  /// The name of a claim that is ours too: its value `any` allows lives below the vendor's minimum. Writing it needs
  /// the application's secret; the built-in token provider writes it, so that a registration ends when requested.
  static let lifeClaim: StaticString = "postern:life"
  static let anyLife = "any"
}
