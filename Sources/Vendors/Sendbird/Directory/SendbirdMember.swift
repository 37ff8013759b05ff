package import GatewayCore

/// A member of a group channel: bob, invited by ann, for instance.
package struct SendbirdMember: Hashable, Codable, Sendable {
  /// A stage of membership: invited, for instance.
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
  private var isMuted = false
  /// Since when, how long and why the member is silent.
  private var muting: SendbirdBar?
  /// Nil for a member who has set nothing.
  private var ownSettings: SendbirdMemberSettings?

  package init(_ user: UserID, _ state: State, inviter: UserID? = nil, at now: WallTime) {
    self.user = user
    self.state = state
    self.inviter = inviter
    invitedAt = inviter == nil ? nil : now
    joinedAt = state == .joined ? now : nil
  }

  package var settings: SendbirdMemberSettings {
    get { ownSettings ?? SendbirdMemberSettings() }
    set { ownSettings = newValue == SendbirdMemberSettings() ? nil : newValue }
  }

  /// How the member is silent; nil for one who may speak.
  package func mute(at now: WallTime) -> SendbirdBar? {
    guard isMuted else { return nil }
    let bar = muting ?? SendbirdBar(user, since: joinedAt ?? now)
    return bar.holds(at: now) ? bar : nil
  }

  /// Has the member be silent, or speak again.
  mutating func mute(_ bar: SendbirdBar?) {
    isMuted = bar != nil
    muting = bar
  }
}
