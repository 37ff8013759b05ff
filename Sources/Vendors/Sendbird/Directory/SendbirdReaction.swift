package import GatewayCore

/// A reaction to a message, with all who have it: an emoji's name, for instance.
package struct SendbirdReaction: Hashable, Codable, Sendable {
  /// As many kinds as one message can have.
  package static let kindsMax = 50
  /// As many users as can answer so.
  package static let usersMax = 1_000

  package let key: Name
  /// In the order in which they did.
  package var users: [UserID]
  package var updatedAt: WallTime

  package init(_ key: Name, users: [UserID], updatedAt: WallTime) {
    self.key = key
    self.users = users
    self.updatedAt = updatedAt
  }
}
