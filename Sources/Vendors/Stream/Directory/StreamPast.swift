package import GatewayCore
internal import GatewayKit

/// A file that a call has left, under the call, the session and the file's name: a recording, for instance.
struct StreamFileRow: StoreValue {
  var file: StreamCallFile
}

/// A participation that is over, under the call, the session and the participant: ann's ten minutes, for instance.
package struct StreamParticipation: Hashable, Codable, Sendable {
  package let participant: StreamCallParticipant
  /// Nil while it goes on.
  package let leftAt: WallTime?

  /// How long it took, or takes until now.
  package func duration(at now: WallTime) -> Duration { max(.zero, (leftAt ?? now) - participant.joinedAt) }
}

/// A participation as it is kept: ann's ten minutes, for instance.
struct StreamParticipationRow: StoreValue {
  var participation: StreamParticipation
}

/// A user's opinion of a call, under the call and the time: four of five, for instance.
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

/// An opinion as it is kept, with the call: ann's of `default:standup`, for instance.
struct StreamFeedbackRow: StoreValue {
  var call: CallID
  var feedback: StreamFeedback
}
