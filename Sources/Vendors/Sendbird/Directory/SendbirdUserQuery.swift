package import GatewayCore

/// A question for users of a Sendbird application, for those whose nickname begins with `an` for instance: those for
/// whom everything given holds.
package struct SendbirdUserQuery: Hashable, Sendable {
  /// The kind of users asked for by whether they may log in: deactivated ones, for instance.
  package enum Activity: Hashable, Sendable {
    case activated
    case deactivated
    case all
  }

  /// One of these; nil for anybody.
  package var ids: Set<UserID>?
  /// Exactly this nickname.
  package var nickname: String?
  /// A nickname that begins so, whatever the case of its letters.
  package var nicknamePrefix: String?
  package var activity: Activity
  /// Only users whose ``SendbirdUser/number`` is smaller: where the page before ended.
  package var before: Int64?
  /// The most users of a page.
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

  /// Whether the user is asked for, pages left aside.
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

/// A page of the users asked for, newest first: ten of them, for instance.
package struct SendbirdUserPage: Hashable, Sendable {
  package var users: [SendbirdUser]
  /// What ``SendbirdUserQuery/before`` must be for the page behind this; nil if this is the last.
  package var next: Int64?

  package init(users: [SendbirdUser], next: Int64?) {
    self.users = users
    self.next = next
  }
}
