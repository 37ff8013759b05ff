internal import GatewayCore

/// A reaction to a message, with its users.
struct SendbirdReaction: Hashable, Codable, Sendable {
  /// The maximum number of kinds of reactions to one message.
  static let kindsMax = 50
  /// The maximum number of users of one reaction.
  static let usersMax = 1_000

  let key: Name
  /// The users in the order of their reactions.
  var users: [UserID]
  var updatedAt: WallTime

  init(_ key: Name, users: [UserID], updatedAt: WallTime) {
    self.key = key
    self.users = users
    self.updatedAt = updatedAt
  }
}
