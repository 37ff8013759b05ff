/// The verdict of an expectation over a journal, with the lines that prove it.
package struct JournalVerdict: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    case passed, failed
    /// The lines do not show it, or not yet.
    case undecided
    /// No line could show it.
    case notApplicable = "not_applicable"
  }

  package var outcome: Outcome
  package var sentence: String
  /// The numbers of the lines that prove it, in their order, at most the first ``linesMax``.
  package let lines: [UInt64]

  package static let linesMax = 20

  package init(_ outcome: Outcome, _ sentence: String, _ lines: [UInt64] = []) {
    self.outcome = outcome
    self.sentence = sentence
    self.lines = Array(lines.sorted().prefix(Self.linesMax))
  }
}
