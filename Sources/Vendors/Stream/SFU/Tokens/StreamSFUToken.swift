internal import GatewayCore

/// The content of `credentials.token` of a join: whom it lets into which call by the SFU's socket; ann into
/// `default:standup`, for instance.
struct StreamSFUToken: Hashable, Sendable {
  var user: UserID
  var kind: UserKind
  var call: CallID
  /// The role that the call token gave which the user joined with.
  var role: String?
  var issuedAt: WallTime
  var expiresAt: WallTime
  var fingerprint: TokenFingerprint
}
