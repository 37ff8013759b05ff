/// Judges credentials. One per application and dialect; shared by all loops, so immutable.
package protocol Authenticator: Sendable {
  /// Judges `credentials` as of `now`. Decides at once whatever can be decided without waiting; a verdict that needs a
  /// store is a question, whose answer comes back to the session as an event.
  func judge(_ credentials: Credentials, at now: WallTime) -> Judgement
}

/// A verdict, or the question that leads to one.
package enum Judgement: Sendable {
  case decided(Verdict)
  case pending(Question)

  /// Asks: may suspend, and stays on the caller's loop until it does.
  package typealias Question = nonisolated(nonsending) @Sendable () async -> Verdict
}
