internal import GatewayRuntime

/// The evaluation of one expectation, line by line.
protocol ExpectationJudge {
  /// Evaluates the next line of the story. Returns a verdict if it is final; then no more lines follow.
  mutating func hear(_ line: JournalLine) -> JournalVerdict?
  /// Returns the verdict after all lines.
  func verdict(at end: ClientStory.End) -> JournalVerdict
}
