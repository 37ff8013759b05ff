internal import GatewayCore

/// What `credentials.token` of a join says: whom it lets into which call by the SFU's socket.
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
