internal import GatewayCore

/// The content of `credentials.token` of a join: the user and the call that the SFU's socket admits.
struct StreamSFUToken: Hashable, Sendable {
  var user: UserID
  var kind: UserKind
  var call: CallID
  /// The role from the call token with which the user joined.
  var role: String?
  var issuedAt: WallTime
  var expiresAt: WallTime
  var fingerprint: TokenFingerprint
}
