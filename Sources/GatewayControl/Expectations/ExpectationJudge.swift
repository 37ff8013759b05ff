internal import GatewayRuntime

/// A judge who holds a client to one expectation while its story is told: who counts martin's provider calls, for
/// instance.
protocol ExpectationJudge {
  /// The next line of the story. A verdict if it settles the matter: nothing more is told then.
  mutating func hear(_ line: JournalLine) -> JournalVerdict?
  /// What it comes to when all has been told.
  func verdict(at end: ClientStory.End) -> JournalVerdict
}
