/// The meaning of a connection's end, or of its refusal, to a client: that 4401 wants a new token, for instance.
package struct EndRule: Hashable, Sendable {
  /// Codes of close frames, or of HTTP where the upgrade was refused.
  package var codes: [ClosedRange<Int>]
  package var isHTTP: Bool
  /// When the rule holds.
  package var phases: Set<ClientPhase>
  package var verdict: ReturnVerdict
  /// What the text of the close frame has to contain; nil for any, and for none.
  package var text: String?
  /// What the report calls it, behind its code.
  package var label: Label?

  /// The report's name for an end, behind its code: the word `expired`, for instance.
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

  /// Whether it is about that end: a code of a close frame with its text, or a status of HTTP.
  func holds(_ code: Int, isHTTP: Bool, _ said: String?, in phase: ClientPhase) -> Bool {
    self.isHTTP == isHTTP && phases.contains(phase) && codes.contains { $0.contains(code) }
      && text.map { said?.contains(bytesOf: $0) ?? false } ?? true
  }

  /// What the report calls such an end, behind its code.
  func label(for said: String?) -> String? {
    switch label {
    case .word(let word): word
    case .text: said.flatMap { $0.isEmpty ? nil : ReportLabel.cleaned($0) }
    case nil: nil
    }
  }

  /// The verdict where no rule says anything: HTTP 401 wants a new token, 429 and 5xx pass, other refusals stay; whoever
  /// closes without a reason may be tried again.
  package static func usual(_ code: Int, isHTTP: Bool) -> ReturnVerdict {
    guard isHTTP else { return .retry }
    return code == 401 ? .renew : code == 429 || code >= 500 ? .retry : .giveUp
  }
}
