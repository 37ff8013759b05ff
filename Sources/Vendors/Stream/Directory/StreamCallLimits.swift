/// The size limits of a ``StreamCallDirectory``.
struct StreamCallLimits: Hashable, Sendable {
  var calls: Int
  /// Members of one call; also its blocked users, and the answers to a ring.
  var membersOfCall: Int
  /// Members of all calls together.
  var members: Int
  var participantsOfCall: Int
  /// Participants of all calls together.
  var participants: Int
  /// Bytes of all calls together.
  var bytes: Int
  /// Open rings. Rings above this limit are not reported as missed.
  var rings: Int
  /// Files of calls and past participations, so many of each; what exceeds this is not stored.
  var past: Int
  /// The same for one call, and for its feedback.
  var pastOfCall: Int
  /// Feedback of all calls.
  var feedback: Int

  init(
    calls: Int = 100_000, membersOfCall: Int = 10_000, members: Int = 1_000_000, participantsOfCall: Int = 10_000,
    participants: Int = 1_000_000, bytes: Int = 256 << 20, rings: Int = 10_000, past: Int = 100_000,
    pastOfCall: Int = 1_000, feedback: Int = 10_000
  ) {
    self.calls = calls
    self.membersOfCall = membersOfCall
    self.members = members
    self.participantsOfCall = participantsOfCall
    self.participants = participants
    self.bytes = bytes
    self.rings = rings
    self.past = past
    self.pastOfCall = pastOfCall
    self.feedback = feedback
  }
}
