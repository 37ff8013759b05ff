package import GatewayCore

/// A query for users of a Sendbird application that match all given conditions.
package struct SendbirdUserQuery: Hashable, Sendable {
  /// The state of users in a query: active, deactivated, or both.
  package enum Activity: Hashable, Sendable {
    case activated
    case deactivated
    case all
  }

  /// Only these users; nil for any.
  package var ids: Set<UserID>?
  /// Exactly this nickname.
  package var nickname: String?
  /// A nickname with this prefix, ignoring case.
  package var nicknamePrefix: String?
  package var activity: Activity
  /// Only users with a smaller ``SendbirdUser/number``: the last one on the page before.
  package var before: Int64?
  /// The maximum number of users on a page.
  package var limit: Int

  package init(
    ids: Set<UserID>? = nil, nickname: String? = nil, nicknamePrefix: String? = nil, activity: Activity = .activated,
    before: Int64? = nil, limit: Int = 10
  ) {
    self.ids = ids
    self.nickname = nickname
    self.nicknamePrefix = nicknamePrefix
    self.activity = activity
    self.before = before
    self.limit = limit
  }

  /// Returns whether the user matches, ignoring pages.
  package func includes(_ user: SendbirdUser) -> Bool {
    switch activity {
    case .activated where !user.isActive, .deactivated where user.isActive: return false
    case .activated, .deactivated, .all: break
    }
    if let ids, !ids.contains(user.id) { return false }
    if let nickname, user.nickname != nickname { return false }
    if let nicknamePrefix, !user.nickname.lowercased().hasPrefix(nicknamePrefix.lowercased()) { return false }
    return true
  }
}

/// A page of a query's users, newest first.
package struct SendbirdUserPage: Hashable, Sendable {
  package var users: [SendbirdUser]
  /// The ``SendbirdUserQuery/before`` of the next page; nil on the last page.
  package var next: Int64?

  package init(users: [SendbirdUser], next: Int64?) {
    self.users = users
    self.next = next
  }
}
