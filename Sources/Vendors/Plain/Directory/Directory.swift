package import GatewayCore

/// What outlives a connection: guests, calls and their members, opaque access tokens.
///
/// Obligations of every implementation: each operation is atomic; an answer reflects every operation whose answer its
/// caller had already seen; what has expired is as if it had never been; a full table throws
/// ``GatewayError/tooMany`` and loses nothing.
package protocol Directory: Sendable {
  /// Makes a guest with a name of its own, derived from `wish`.
  func makeGuest(wish: String?) async throws(GatewayError) -> UserID

  /// The call, made now by `user` if it did not exist.
  func getOrCreateCall(_ call: CallID, by user: UserID, at now: WallTime) async throws(GatewayError) -> CallRecord

  /// The call, nil if it does not exist.
  func call(_ call: CallID) async -> CallRecord?

  /// Puts `user` among the members of an existing call; throws ``GatewayError/notFound`` if there is none. Joining
  /// twice is joining once.
  func join(_ call: CallID, user: UserID) async throws(GatewayError) -> CallRecord

  /// Stores what an opaque access token stands for under the token's SHA-256; never the token.
  func storeAccessToken(hash: [UInt8], _ record: AccessTokenRecord) async throws(GatewayError)

  /// What the token of that SHA-256 stands for, nil if it was never issued or has expired at `now`.
  func accessToken(hash: [UInt8], at now: WallTime) async -> AccessTokenRecord?
}

/// A call as the directory knows it.
package struct CallRecord: Hashable, Sendable {
  package var id: CallID
  package var createdBy: UserID
  package var createdAt: WallTime
  /// In the order in which they joined.
  package var members: [UserID]
  /// Whether the operation that returned this record made the call.
  package var isNew: Bool

  package init(id: CallID, createdBy: UserID, createdAt: WallTime, members: [UserID], isNew: Bool) {
    self.id = id
    self.createdBy = createdBy
    self.createdAt = createdAt
    self.members = members
    self.isNew = isNew
  }
}

/// What an opaque access token stands for.
package struct AccessTokenRecord: Hashable, Sendable {
  package var user: UserID
  package var kind: UserKind
  package var issuedAt: WallTime
  /// Nil for a token that never expires.
  package var expiresAt: WallTime?

  package init(user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?) {
    self.user = user
    self.kind = kind
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
  }
}
