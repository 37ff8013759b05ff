package import GatewayCore
internal import GatewayKit

/// A call in the directory's answers.
package struct CallRecord: Hashable, Sendable {
  package var id: CallID
  package var createdBy: UserID
  package var createdAt: WallTime
  /// The members in the order in which they joined.
  package var members: [UserID]
  /// Whether the operation that returned this record created the call.
  package var isNew: Bool

  package init(id: CallID, createdBy: UserID, createdAt: WallTime, members: [UserID], isNew: Bool) {
    self.id = id
    self.createdBy = createdBy
    self.createdAt = createdAt
    self.members = members
    self.isNew = isNew
  }
}

/// The content of an opaque access token.
package struct AccessTokenRecord: Hashable, StoreValue {
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

/// The row of a call without its members, so that a join writes only a row of its own.
struct CallRow: StoreValue {
  var createdBy: UserID
  var createdAt: WallTime
}

/// The row of a call's member.
struct MemberRow: StoreValue {
  var user: UserID
}

/// The row of a process's prefix for guests.
struct GuestNames: StoreValue {
  var begunAt: WallTime
}
