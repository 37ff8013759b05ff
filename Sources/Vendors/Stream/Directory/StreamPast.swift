package import GatewayCore
internal import GatewayKit

/// The row of a call's file, under the call, the session and the file's name.
struct StreamFileRow: StoreValue {
  var file: StreamCallFile
}

/// A participation of a user in a session.
package struct StreamParticipation: Hashable, Codable, Sendable {
  package let participant: StreamCallParticipant
  /// Nil while it goes on.
  package let leftAt: WallTime?

  /// Returns how long it lasted, or lasts so far.
  package func duration(at now: WallTime) -> Duration { max(.zero, (leftAt ?? now) - participant.joinedAt) }
}

/// The row of a past participation, under the call, the session and the participant.
struct StreamParticipationRow: StoreValue {
  var participation: StreamParticipation
}

/// A user's feedback on a call, under the call and the time.
package struct StreamFeedback: Hashable, Codable, Sendable {
  package let user: UserID
  package let session: String
  package let userSession: String?
  package let rating: Int
  package let reason: String?
  package let sdk: String
  package let sdkVersion: String
  package let custom: StreamCustom
  package let at: WallTime

  package init(
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
