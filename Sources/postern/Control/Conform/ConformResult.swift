/// The result of one behaviour: the verdict, its reasons and the proof.
struct ConformResult: Sendable {
  enum Verdict: String, Sendable, CaseIterable {
    case passed, failed, undecided
    case notApplicable = "not_applicable"

    var words: String { self == .notApplicable ? "not applicable" : rawValue }
  }

  let behaviour: Behaviour
  var verdict: Verdict
  /// The reasons: one sentence for each expectation with this verdict.
  var sentences: [String]
  /// The lines of the journal that prove it.
  var lines: [String] = []
  /// The last output of the client, and how it ended.
  var output = ""
  var duration = Duration.zero
  /// The part of the run's time that was lost to a slow machine.
  var lost = Duration.zero
  /// The journal in JSON Lines, if the behaviour failed.
  var journal: [UInt8] = []

  /// Whether the shell did not find the command, or could not execute it (POSIX, section 2.8.2 of the shell).
  var saysCommandCannotStart: Bool {
    verdict != .passed && ["127", "126"].contains { output.hasSuffix("the client ended by itself, with status \($0)") }
  }

  /// Combines the verdicts of all expectations. One failure decides; a pass counts only if none is undecided.
  static func whole(_ verdicts: [Verdict]) -> Verdict {
    for verdict in [Verdict.failed, .undecided, .passed] where verdicts.contains(verdict) { return verdict }
    return .notApplicable
  }
}

/// The premature end of a script, e.g. because the client did not log in.
struct ConformEnd: Error {
  let verdict: ConformResult.Verdict
  let sentence: String
}
