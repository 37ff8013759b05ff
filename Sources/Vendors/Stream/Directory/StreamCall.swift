internal import GatewayCore

/// A call as Stream's coordinator knows it, e.g. `default:standup`.
struct StreamCall: Hashable, Codable, Sendable {
  let id: CallID
  let createdBy: UserID
  let createdAt: WallTime
  /// The time of the last change of the call's own data or its members; sessions do not change it.
  var updatedAt: WallTime
  var team: String?
  var custom: StreamCustom = [:]
  var startsAt: WallTime?
  /// The settings that differ from the call type's: values as JSON text by path, e.g. `audio.mic_default_on`.
  var settings: [String: String] = [:]
  /// Whether it rings as a video call.
  var isVideo = false
  var members = StreamCallMembers()
  /// The users who may not join, in the order in which they were blocked.
  var blocked: [UserID] = []
  /// Whether only hosts who prepare the call may join it.
  var isBackstage = false
  /// When the call ended. Only users with the right to join ended calls may join it afterwards.
  var endedAt: WallTime?
  /// The latest session; nil if there was none yet.
  var session: StreamCallSession?
  /// The number of sessions so far, which names the next one.
  var sessionCount = 0
  /// Capabilities that a user was given (true) or denied (false) beyond their roles.
  var grants: [UserID: [String: Bool]] = [:]
  /// The call's recordings, transcriptions and broadcasts; nil if there never were any.
  var egress: StreamEgress?
  /// The settings that servers have made for the call's type, looked up with the call; nil if there are none.
  var definition: StreamCallType?

  private enum CodingKeys: String, CodingKey {
    case id, createdBy, createdAt, updatedAt, team, custom, startsAt, settings, isVideo, members, blocked, isBackstage
    case endedAt, session, sessionCount, grants, egress
  }

  init(id: CallID, createdBy: UserID, createdAt: WallTime) {
    self.id = id
    self.createdBy = createdBy
    self.createdAt = createdAt
    updatedAt = createdAt
  }

  /// The current session: it has participants, or it rings.
  var liveSession: StreamCallSession? {
    session.flatMap { $0.endedAt == nil ? $0 : nil }
  }
}

/// A session of a call, from the first ring or participant to the last participant's leaving.
struct StreamCallSession: Hashable, Codable, Sendable {
  let id: String
  /// When the first participant joined; nil while it only rings.
  var startedAt: WallTime?
  var endedAt: WallTime?
  var liveStartedAt: WallTime?
  var liveEndedAt: WallTime?
  /// The participants in the order in which they joined.
  var participants: [StreamCallParticipant] = []
  /// The number of joins so far, which names the next participant.
  var joinCount = 0
  /// The users who are rung and have not answered yet.
  var ringing: Set<UserID> = []
  var acceptedBy: [UserID: WallTime] = [:]
  var rejectedBy: [UserID: WallTime] = [:]
  var missedBy: [UserID: WallTime] = [:]
  /// The participants pinned for all, in the order in which they were pinned; nil if there never were any.
  var pins: [StreamCallPin]?
}

/// A participant of a session, with their connection.
struct StreamCallParticipant: Hashable, Codable, Sendable {
  var user: UserID
  /// The role the user joined with.
  var role: Name
  /// The connection whose end ends the participation. A participant without one leaves with the user's last connection.
  var connection: ConnectionID?
  /// Identifies a participant within the call, since one user can take part twice.
  var sessionID: String
  var joinedAt: WallTime
}

/// A participant who is pinned for all.
struct StreamCallPin: Hashable, Codable, Sendable {
  let user: UserID
  let sessionID: String
}

/// A change of a call: the call before and after it.
struct StreamCallChange: Hashable, Sendable {
  var before: StreamCall
  var after: StreamCall
}
