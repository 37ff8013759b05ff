/// The result of one behaviour: its verdict, its time and its reasons.
struct ConformResult: Sendable {
  enum Verdict: String, Sendable, CaseIterable {
    case passed, failed, undecided
    case notApplicable = "not_applicable"

    var words: String { self == .notApplicable ? "not applicable" : rawValue }
  }

  let behaviour: Behaviour
  var verdict: Verdict
  /// Why, one sentence for each expectation that says it.
  var sentences: [String]
  /// The lines of the journal that prove it.
  var lines: [String] = []
  /// The last that the client has printed, and how it ended.
  var output = ""
  var duration = Duration.zero
  /// How much of its time a slow machine has taken.
  var lost = Duration.zero
  /// The journal in JSON Lines, of what has failed.
  var journal: [UInt8] = []

  /// Whether the shell found no command to start, or one that it may not start (POSIX, section 2.8.2 of the shell).
  var saysCommandCannotStart: Bool {
    verdict != .passed && ["127", "126"].contains { output.hasSuffix("the client ended by itself, with status \($0)") }
  }

  /// Returns the sum of the verdicts of all expectations: one that failed decides, one that passed counts only if none is
  /// undecided.
  static func whole(_ verdicts: [Verdict]) -> Verdict {
    for verdict in [Verdict.failed, .undecided, .passed] where verdicts.contains(verdict) { return verdict }
    return .notApplicable
  }
}

/// An early end of a script, e.g. that the client was refused.
struct ConformEnd: Error {
  let verdict: ConformResult.Verdict
  let sentence: String
}
