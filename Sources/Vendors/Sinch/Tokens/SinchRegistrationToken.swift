package import GatewayCore

/// The content of a registration token, after every check that needs no memory: ann's, to be presented within ten
/// minutes, for instance.
package struct SinchRegistrationToken: Hashable, Sendable {
  package var application: Name
  package var user: UserID
  /// By the claim `postern:user:kind`, which is ours: the vendor knows neither guests nor anonymous users.
  package var kind: UserKind
  package var nonce: Name
  package var issuedAt: WallTime
  package var expiresAt: WallTime
  /// When the registration ends; nil if never.
  package var instanceEndsAt: WallTime?
  package var fingerprint: TokenFingerprint

  static let issuerPrefix = "//rtc.sinch.com/applications/"
  static let kindClaim: StaticString = "postern:user:kind"
  /// Ours as well: `any` lets the two lives be shorter than the vendor's least. Only who has the application's secret can
  /// write it; the built-in token provider does, so that a registration ends when it was asked to.
  static let lifeClaim: StaticString = "postern:life"
  static let anyLife = "any"
}
