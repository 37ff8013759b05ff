package import GatewayCore

/// What a registration token says, after every check that needs no memory.
package struct SinchRegistrationToken: Hashable, Sendable {
  package var application: String
  package var user: UserID
  /// By the claim `postern:user:kind`, which is ours: the vendor knows neither guests nor anonymous users.
  package var kind: UserKind
  package var nonce: String
  package var issuedAt: WallTime
  package var expiresAt: WallTime
  /// When the registration ends; nil if never.
  package var instanceEndsAt: WallTime?
  package var fingerprint: TokenFingerprint

  static let issuerPrefix = "//rtc.sinch.com/applications/"
  static let kindClaim = "postern:user:kind"
}
