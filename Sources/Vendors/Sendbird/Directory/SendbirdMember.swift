package import GatewayCore

/// Somebody's place in a group channel.
package struct SendbirdMember: Hashable, Codable, Sendable {
  package enum State: String, Hashable, Codable, Sendable {
    case invited
    case joined
  }

  package let user: UserID
  package var state: State
  package var inviter: UserID?
  package var invitedAt: WallTime?
  package var joinedAt: WallTime?
  /// What was sent until then has been read.
  package var readAt: WallTime?
  /// What was sent until then has arrived.
  package var deliveredAt: WallTime?
  /// How many messages of others came since.
  package var unreadCount = 0
  package var isMuted = false

  package init(_ user: UserID, _ state: State, inviter: UserID? = nil, at now: WallTime) {
    self.user = user
    self.state = state
    self.inviter = inviter
    invitedAt = inviter == nil ? nil : now
    joinedAt = state == .joined ? now : nil
  }
}
