internal import GatewayCore

/// A query for users of a Sendbird application that match all given conditions.
struct SendbirdUserQuery: Hashable, Sendable {
  /// The state of users in a query: active, deactivated, or both.
  enum Activity: Hashable, Sendable {
    case activated
    case deactivated
    case all
  }

  /// Only these users; nil for any.
  var ids: Set<UserID>?
  /// Exactly this nickname.
  var nickname: String?
  /// A nickname with this prefix, ignoring case.
  var nicknamePrefix: String?
  var activity: Activity = .activated
  /// Only users with a smaller ``SendbirdUser/number``: the last one on the page before.
  var before: Int64?
  /// The maximum number of users on a page.
  var limit: Int = 10

  /// Returns whether the user matches, ignoring pages.
  func includes(_ user: SendbirdUser) -> Bool {
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
struct SendbirdUserPage: Hashable, Sendable {
  var users: [SendbirdUser]
  /// The ``SendbirdUserQuery/before`` of the next page; nil on the last page.
  var next: Int64?
}
