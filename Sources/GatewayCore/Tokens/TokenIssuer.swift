/// An issuer of tokens for one application and dialect. All loops share it, so it is immutable.
package protocol TokenIssuer: Sendable {
  /// Returns a token for `user`, valid from `issuedAt` until `expiresAt` (without end if nil), and only for `calls` if
  /// they are given. Never fails: a key is checked when the issuer is created.
  func mint(user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?) -> Credentials
}
