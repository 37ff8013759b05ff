/// What the end of a connection, or its refusal, means to a client: that 4401 wants a new token, for instance.
package struct EndRule: Hashable, Sendable {
  /// Codes of close frames, or of HTTP where the upgrade was refused.
  package var codes: [ClosedRange<Int>]
  package var isHTTP: Bool
  /// When the rule holds.
  package var phases: Set<ClientPhase>
  package var verdict: ReturnVerdict
  /// What the report calls it, behind its code.
  package var label: String?

  package init(
    codes: [ClosedRange<Int>], isHTTP: Bool = false, phases: Set<ClientPhase> = Set(ClientPhase.allCases),
    verdict: ReturnVerdict, label: String? = nil
  ) {
    self.codes = codes
    self.isHTTP = isHTTP
    self.phases = phases
    self.verdict = verdict
    self.label = label
  }

  /// The verdict where no rule says anything: HTTP 401 wants a new token, 429 and 5xx pass, other refusals stay; whoever
  /// closes without a reason may be tried again.
  package static func usual(_ code: Int, isHTTP: Bool) -> ReturnVerdict {
    guard isHTTP else { return .retry }
    return code == 401 ? .renew : code == 429 || code >= 500 ? .retry : .giveUp
  }
}
