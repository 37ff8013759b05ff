// The answers of rate budgets.

extension Ledger {
  /// Counts a call that a client's rule for retries has held back.
  package mutating func heldBack() {
    result.provider.heldBack = (result.provider.heldBack ?? 0) + 1
  }

  /// Counts an answer if it is that of a budget.
  ///
  /// - Parameters:
  ///   - answer: The provider's answer.
  ///   - behaviour: The behaviour of the client. A provider refuses some clients by plan, which is no ban.
  ///   - wasRefused: Whether the client has got such an answer before; is set.
  package mutating func noteBudget(
    _ answer: ProviderAnswer, _ behaviour: Behaviour, _ wasRefused: inout Bool
  ) {
    switch answer {
    case .busy(status: 429, _): noteBudget(\.limited, behaviour, &wasRefused)
    case .refused(status: 403) where behaviour != .refused: noteBudget(\.banned, behaviour, &wasRefused)
    case .token, .busy, .refused, .denied, .failed: return
    }
  }

  private mutating func noteBudget(
    _ kind: WritableKeyPath<BudgetTally, Int>, _ behaviour: Behaviour, _ wasRefused: inout Bool
  ) {
    var tally = result.provider.budgets ?? BudgetTally()
    tally[keyPath: kind] += 1
    tally.answers[behaviour, default: 0] += 1
    if !wasRefused { tally.clients[behaviour, default: 0] += 1 }
    wasRefused = true
    result.provider.budgets = tally
  }
}
