package import GatewayCore

// The answer of a provider to a request that a budget refuses.

extension BudgetRefusal {
  /// The error, which names neither the user nor the address.
  package var error: GatewayError {
    let whose =
      switch scope {
      case .user: "this user"
      case .address: "this address"
      case .all: "all callers together"
      }
    return isBan
      ? .notPermitted.detailed("\(whose) asked for tokens too often and is shut out for a while")
      : .tooMany.detailed("\(whose) asked for tokens too often")
  }
}

extension RetryAdvice {
  /// Creates the advice of a budget's refusal.
  ///
  /// - Parameters:
  ///   - share: A share of chance, 0..<1, for an advice that is drawn.
  ///   - now: The time of the refusal.
  package init(_ refusal: BudgetRefusal, share: Double, at now: WallTime) {
    self =
      switch refusal.advice {
      case .left: .after(.seconds(refusal.leftSeconds))
      case .seconds(let seconds): .after(.seconds(seconds))
      case .spread: .after(.seconds(refusal.spread(share) ?? 0))
      case .date: .at(now + refusal.left)
      case .none: .none
      }
  }
}

extension Name {
  /// Its hash, under which budgets count it.
  package var budgetKey: UInt64 { UInt64(bitPattern: Int64(hashValue)) }
}
