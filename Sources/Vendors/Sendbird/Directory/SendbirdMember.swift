internal import GatewayCore

/// A member of a group channel.
struct SendbirdMember: Hashable, Codable, Sendable {
  /// The state of a membership.
  enum State: String, Hashable, Codable, Sendable {
    case invited
    case joined
  }

  let user: UserID
  var state: State
  var inviter: UserID?
  var invitedAt: WallTime?
  var joinedAt: WallTime?
  /// The time until which everything is read.
  var readAt: WallTime?
  /// The time until which everything is delivered.
  var deliveredAt: WallTime?
  /// The number of messages of others since then.
  var unreadCount = 0
  private var isMuted = false
  /// The mute of the member.
  private var muting: SendbirdBar?
  /// Nil for a member who has set nothing.
  private var ownSettings: SendbirdMemberSettings?

  init(_ user: UserID, _ state: State, inviter: UserID? = nil, at now: WallTime) {
    self.user = user
    self.state = state
    self.inviter = inviter
    invitedAt = inviter == nil ? nil : now
    joinedAt = state == .joined ? now : nil
  }

  var settings: SendbirdMemberSettings {
    get { ownSettings ?? SendbirdMemberSettings() }
    set { ownSettings = newValue == SendbirdMemberSettings() ? nil : newValue }
  }

  /// Returns the member's mute; nil for a member who may send.
  func mute(at now: WallTime) -> SendbirdBar? {
    guard isMuted else { return nil }
    let bar = muting ?? SendbirdBar(user, since: joinedAt ?? now)
    return bar.holds(at: now) ? bar : nil
  }

  /// Mutes or unmutes the member.
  mutating func mute(_ bar: SendbirdBar?) {
    isMuted = bar != nil
    muting = bar
  }
}
