/// The size limits of a ``StreamCallDirectory``.
package struct StreamCallLimits: Hashable, Sendable {
  package var calls: Int
  /// Members of one call; also its blocked users, and the answers to a ring.
  package var membersOfCall: Int
  /// Members of all calls together.
  package var members: Int
  package var participantsOfCall: Int
  /// Participants of all calls together.
  package var participants: Int
  /// Bytes of all calls together.
  package var bytes: Int
  /// Open rings. Rings above this limit are not reported as missed.
  package var rings: Int
  /// Files of calls and past participations, so many of each; what exceeds this is not stored.
  package var past: Int
  /// The same for one call, and for its feedback.
  package var pastOfCall: Int
  /// Feedback of all calls.
  package var feedback: Int

  package init(
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
