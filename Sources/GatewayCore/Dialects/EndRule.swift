/// A rule that gives the meaning of a close or a refused upgrade to a client, e.g. that 4401 requires a new token.
package struct EndRule: Hashable, Sendable {
  /// Close codes, or HTTP statuses if the upgrade was refused.
  package var codes: [ClosedRange<Int>]
  package var isHTTP: Bool
  /// The phases in which the rule applies.
  package var phases: Set<ClientPhase>
  package var verdict: ReturnVerdict
  /// The text that the close frame must contain; nil for any or none.
  package var text: String?
  /// The report's label for the end, after its code.
  package var label: Label?

  /// A label of an end in the report, after its code.
  package enum Label: Hashable, Sendable {
    case word(String)
    /// The text of the close frame.
    case text
  }

  package init(
    codes: [ClosedRange<Int>], isHTTP: Bool = false, phases: Set<ClientPhase> = Set(ClientPhase.allCases),
    verdict: ReturnVerdict, text: String? = nil, label: Label? = nil
  ) {
    self.codes = codes
    self.isHTTP = isHTTP
    self.phases = phases
    self.verdict = verdict
    self.text = text
    self.label = label
  }

  /// Returns whether the rule applies to a close code with its text, or to an HTTP status.
  func holds(_ code: Int, isHTTP: Bool, _ said: String?, in phase: ClientPhase) -> Bool {
    self.isHTTP == isHTTP && phases.contains(phase) && codes.contains { $0.contains(code) }
      && text.map { said?.contains(bytesOf: $0) ?? false } ?? true
  }

  /// Returns the report's label for such an end, after its code.
  func label(for said: String?) -> String? {
    switch label {
    case .word(let word): word
    case .text: said.flatMap { $0.isEmpty ? nil : ReportLabel.cleaned($0) }
    case nil: nil
    }
  }

  /// Returns the verdict where no rule applies. HTTP 401 requires a new token, 429 and 5xx may be retried, and other
  /// statuses are final. A close may be retried.
  package static func usual(_ code: Int, isHTTP: Bool) -> ReturnVerdict {
    guard isHTTP else { return .retry }
    return code == 401 ? .renew : code == 429 || code >= 500 ? .retry : .giveUp
  }
}
