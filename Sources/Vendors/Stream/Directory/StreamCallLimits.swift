/// The most a ``StreamCallDirectory`` holds of anything.
package struct StreamCallLimits: Hashable, Sendable {
  package var calls: Int
  /// Members of one call; also the blocked, and the answers to a ring.
  package var membersOfCall: Int
  /// Members of all calls together.
  package var members: Int
  package var participantsOfCall: Int
  /// Participants of all calls together.
  package var participants: Int
  /// Bytes of all calls together.
  package var bytes: Int
  /// Rings that wait for their answers; those above ring without being reported as missed.
  package var rings: Int
  /// Files that calls have left, and participations that are over: so many of each; what is above is not kept.
  package var past: Int
  /// The same of one call, and ratings.
  package var pastOfCall: Int
  /// Ratings of all calls.
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
