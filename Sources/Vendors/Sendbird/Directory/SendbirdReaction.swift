package import GatewayCore

/// A reaction to a message, with its users.
package struct SendbirdReaction: Hashable, Codable, Sendable {
  /// The most kinds of reactions to one message.
  package static let kindsMax = 50
  /// The most users of one reaction.
  package static let usersMax = 1_000

  package let key: Name
  /// The users in the order of their reactions.
  package var users: [UserID]
  package var updatedAt: WallTime

  package init(_ key: Name, users: [UserID], updatedAt: WallTime) {
    self.key = key
    self.users = users
    self.updatedAt = updatedAt
  }
}
