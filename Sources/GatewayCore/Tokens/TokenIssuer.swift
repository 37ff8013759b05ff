/// A mint of tokens, for one application and dialect: of ann's, good for an hour, say. Shared by all loops, so immutable.
package protocol TokenIssuer: Sendable {
  /// A token for `user`, valid from `issuedAt` until `expiresAt` (for ever if nil), for these calls only if there are
  /// any. Never fails: what could be wrong with the key was found when the issuer was made.
  func mint(user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?) -> Credentials
}
