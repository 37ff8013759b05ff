package import GatewayCore

/// A call as Stream's coordinator knows it, e.g. `default:standup`.
package struct StreamCall: Hashable, Codable, Sendable {
  package let id: CallID
  package let createdBy: UserID
  package let createdAt: WallTime
  /// The time of the last change of the call's own data or its members; sessions do not change it.
  package var updatedAt: WallTime
  package var team: String?
  package var custom: StreamCustom = [:]
  package var startsAt: WallTime?
  /// The settings that differ from the call type's: values as JSON text by path, e.g. `audio.mic_default_on`.
  package var settings: [String: String] = [:]
  /// Whether it rings as a video call.
  package var isVideo = false
  package var members = StreamCallMembers()
  /// The users who may not join, in the order in which they were blocked.
  package var blocked: [UserID] = []
  /// Whether only hosts who prepare the call may join it.
  package var isBackstage = false
  /// When the call ended. Only users with the right to join ended calls may join it afterwards.
  package var endedAt: WallTime?
  /// The latest session; nil if there was none yet.
  package var session: StreamCallSession?
  /// The number of sessions so far, from which the next one is named.
  package var sessionCount = 0
  /// Capabilities that a user was given (true) or denied (false) beyond their roles.
  package var grants: [UserID: [String: Bool]] = [:]
  /// The call's recordings, transcriptions and broadcasts; nil if there never were any.
  package var egress: StreamEgress?
  /// The settings that servers have made for the call's type, looked up with the call; nil if there are none.
  package var definition: StreamCallType?

  private enum CodingKeys: String, CodingKey {
    case id, createdBy, createdAt, updatedAt, team, custom, startsAt, settings, isVideo, members, blocked, isBackstage
    case endedAt, session, sessionCount, grants, egress
  }

  package init(id: CallID, createdBy: UserID, createdAt: WallTime) {
    self.id = id
    self.createdBy = createdBy
    self.createdAt = createdAt
    updatedAt = createdAt
  }

  /// The current session: it has participants, or it rings.
  package var liveSession: StreamCallSession? {
    session.flatMap { $0.endedAt == nil ? $0 : nil }
  }
}

/// A session of a call, from the first ring or participant to the last participant's leaving.
package struct StreamCallSession: Hashable, Codable, Sendable {
  package let id: String
  /// When the first participant joined; nil while it only rings.
  package var startedAt: WallTime?
  package var endedAt: WallTime?
  package var liveStartedAt: WallTime?
  package var liveEndedAt: WallTime?
  /// The participants in the order in which they joined.
  package var participants: [StreamCallParticipant] = []
  /// The number of joins so far, from which the next participant is named.
  package var joinCount = 0
  /// The users who are rung and have not answered yet.
  package var ringing: Set<UserID> = []
  package var acceptedBy: [UserID: WallTime] = [:]
  package var rejectedBy: [UserID: WallTime] = [:]
  package var missedBy: [UserID: WallTime] = [:]
  /// The participants pinned for everybody, in the order in which they were pinned; nil if there never were any.
  package var pins: [StreamCallPin]?

  package init(id: String) {
    self.id = id
  }
}

/// A participant of a session, with their connection.
package struct StreamCallParticipant: Hashable, Codable, Sendable {
  package var user: UserID
  /// The role the user joined with.
  package var role: Name
  /// The connection whose end ends the participation. A participant without one leaves with the user's last connection.
  package var connection: ConnectionID?
  /// Identifies a participant within the call, since one user can take part twice.
  package var sessionID: String
  package var joinedAt: WallTime

  package init(user: UserID, role: Name, connection: ConnectionID?, sessionID: String, joinedAt: WallTime) {
    self.user = user
    self.role = role
    self.connection = connection
    self.sessionID = sessionID
    self.joinedAt = joinedAt
  }
}

/// A participant who is pinned for everybody.
package struct StreamCallPin: Hashable, Codable, Sendable {
  package let user: UserID
  package let sessionID: String

  package init(user: UserID, sessionID: String) {
    self.user = user
    self.sessionID = sessionID
  }
}

/// A change of a call: the call before and after it.
package struct StreamCallChange: Hashable, Sendable {
  package var before: StreamCall
  package var after: StreamCall

  package init(before: StreamCall, after: StreamCall) {
    self.before = before
    self.after = after
  }
}
