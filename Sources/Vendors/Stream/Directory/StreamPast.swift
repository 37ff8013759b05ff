internal import GatewayCore
internal import GatewayKit

/// The row of a call's file, under the call, the session and the file's name.
struct StreamFileRow: StoreValue {
  var file: StreamCallFile
}

/// A participation of a user in a session.
struct StreamParticipation: Hashable, Codable, Sendable {
  let participant: StreamCallParticipant
  /// Nil while it goes on.
  let leftAt: WallTime?

  /// Returns how long it lasted, or lasts so far.
  func duration(at now: WallTime) -> Duration { max(.zero, (leftAt ?? now) - participant.joinedAt) }
}

/// The row of a past participation, under the call, the session and the participant.
struct StreamParticipationRow: StoreValue {
  var participation: StreamParticipation
}

/// A user's feedback on a call, under the call and the time.
struct StreamFeedback: Hashable, Codable, Sendable {
  let user: UserID
  let session: String
  let userSession: String?
  let rating: Int
  let reason: String?
  let sdk: String
  let sdkVersion: String
  let custom: StreamCustom
  let at: WallTime

  init(
    by user: UserID, in session: String, as userSession: String?, rating: Int, reason: String?, sdk: String,
    sdkVersion: String, custom: StreamCustom, at: WallTime
  ) {
    self.user = user
    self.session = session
    self.userSession = userSession
    self.rating = rating
    self.reason = reason
    self.sdk = sdk
    self.sdkVersion = sdkVersion
    self.custom = custom
    self.at = at
  }
}

/// The row of a feedback, with its call.
struct StreamFeedbackRow: StoreValue {
  var call: CallID
  var feedback: StreamFeedback
}
