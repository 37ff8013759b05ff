package import GatewayCore
internal import GatewayKit

/// A call as the directory tells of it: `default:standup`, made by ann, with ann and bob in it, for instance.
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

/// The meaning of an opaque access token: that it is ann's until noon, for instance.
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

/// A call without its members, so that who joins writes no more than a row of their own, for instance.
struct CallRow: StoreValue {
  var createdBy: UserID
  var createdAt: WallTime
}

/// A member of a call: bob in `default:standup`, for instance.
struct MemberRow: StoreValue {
  var user: UserID
}

/// A prefix of guests' names that a process has for itself: a second process on the same store draws another, for
/// instance.
struct GuestNames: StoreValue {
  var begunAt: WallTime
}
