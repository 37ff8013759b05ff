package import GatewayCore

/// A call as Stream's coordinator knows it: `default:standup`, for instance.
package struct StreamCall: Hashable, Codable, Sendable {
  package let id: CallID
  package let createdBy: UserID
  package let createdAt: WallTime
  /// When the call's own data or its members changed; sessions leave it as it is.
  package var updatedAt: WallTime
  package var team: String?
  package var custom: StreamCustom = [:]
  package var startsAt: WallTime?
  /// The settings that differ from those of the call's type: the value as JSON text by its path, e.g.
  /// `audio.mic_default_on`.
  package var settings: [String: String] = [:]
  /// Whether it rings as a video call.
  package var isVideo = false
  package var members = StreamCallMembers()
  /// Who may not join, in the order in which they were blocked.
  package var blocked: [UserID] = []
  /// Whether only those who prepare the call may join it.
  package var isBackstage = false
  /// Nobody may join any more but those who may join ended calls.
  package var endedAt: WallTime?
  /// The latest session; nil if there was none yet.
  package var session: StreamCallSession?
  /// How many sessions there were: names the next one.
  package var sessionCount = 0
  /// Capabilities given to a user (true) or taken from one (false) beyond the roles.
  package var grants: [UserID: [String: Bool]] = [:]
  /// What is taken out of the call; nil if nothing ever was.
  package var egress: StreamEgress?
  /// What servers have said of the call's type; nil if nothing. It is the type's, and looked up with the call.
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

  /// The session that goes on: somebody is in it, or it rings.
  package var liveSession: StreamCallSession? {
    session.flatMap { $0.endedAt == nil ? $0 : nil }
  }
}

/// A session of a call, from the first ring or participant to the last participant's leaving: that of this morning, for
/// instance.
package struct StreamCallSession: Hashable, Codable, Sendable {
  package let id: String
  /// When the first participant came; nil while it only rings.
  package var startedAt: WallTime?
  package var endedAt: WallTime?
  package var liveStartedAt: WallTime?
  package var liveEndedAt: WallTime?
  /// In the order in which they came.
  package var participants: [StreamCallParticipant] = []
  /// How many ever joined: names the next participant.
  package var joinCount = 0
  /// Who is rung and has not answered yet.
  package var ringing: Set<UserID> = []
  package var acceptedBy: [UserID: WallTime] = [:]
  package var rejectedBy: [UserID: WallTime] = [:]
  package var missedBy: [UserID: WallTime] = [:]
  /// Who is pinned for everybody, the first first; nil if nobody was.
  package var pins: [StreamCallPin]?

  package init(id: String) {
    self.id = id
  }
}

/// A participant of a session, and by which connection: ann by her browser's, for instance.
package struct StreamCallParticipant: Hashable, Codable, Sendable {
  package var user: UserID
  /// The role the user joined with.
  package var role: Name
  /// With this connection's end the participant leaves. One who joined without any leaves with the user's last
  /// connection.
  package var connection: ConnectionID?
  /// Tells the participants of one call apart, e.g. two of the same user.
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

/// A participant whom everybody is shown: the speaker on a stage, for instance.
package struct StreamCallPin: Hashable, Codable, Sendable {
  package let user: UserID
  package let sessionID: String

  package init(user: UserID, sessionID: String) {
    self.user = user
    self.sessionID = sessionID
  }
}

/// A change of a call, by what came of it: the call as it was and as it is, for instance.
package struct StreamCallChange: Hashable, Sendable {
  package var before: StreamCall
  package var after: StreamCall

  package init(before: StreamCall, after: StreamCall) {
    self.before = before
    self.after = after
  }
}
