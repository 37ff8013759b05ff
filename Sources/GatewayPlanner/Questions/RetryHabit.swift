internal import GatewayCore
package import GatewayFleet

/// A way in which clients ask again after a failure, as the planner compares them. It is a kind of backoff alone, or the
/// file's kind with a rule for retries.
package struct RetryHabit: Hashable, Sendable {
  package let name: String
  let kind: Backoff.Kind
  let rule: RetryRule?

  /// Returns what is compared for a fleet: its own budget and breaker if it has them, and otherwise the usual ones.
  package static func all(for plan: StormPlan) -> [RetryHabit] {
    let kind = plan.backoff.kind
    let budget = plan.retry?.budget ?? RetryRule.Budget()
    let breaker = plan.retry?.breaker ?? RetryRule.Breaker()
    func habit(_ name: String, _ rule: RetryRule) -> RetryHabit {
      RetryHabit(name: "\(kind.rawValue)+\(name)", kind: kind, rule: rule)
    }
    return Backoff.Kind.allCases.map { RetryHabit(name: $0.rawValue, kind: $0, rule: nil) } + [
      habit("budget", RetryRule(per: .client, budget: budget)),
      habit("budget-of-fleet", RetryRule(per: .fleet, budget: shared(budget, plan))),
      habit("breaker", RetryRule(per: .client, breaker: breaker)),
      habit("breaker-of-fleet", RetryRule(per: .fleet, breaker: breaker)),
    ]
  }

  /// Returns a budget that all share: the file's own if it is one, and otherwise one of a hundredth of the clients.
  private static func shared(_ budget: RetryRule.Budget, _ plan: StormPlan) -> RetryRule.Budget {
    guard plan.retry?.per != .fleet || plan.retry?.budget == nil else { return budget }
    var shared = budget
    shared.capacity = min(max(budget.capacity, plan.clients / 100), RetryRule.capacities.upperBound)
    return shared
  }

  func settings(_ settings: WorldSettings) -> WorldSettings {
    var settings = settings
    settings.plan.backoff.kind = kind
    settings.plan.retry = rule
    return settings
  }
}

extension Planner {
  /// Returns a trial of each way to ask again. The answer is the one with the fewest requests to the provider among
  /// those that keep the thresholds, tried at full size.
  package func backoffs() async throws -> (trials: [(habit: RetryHabit, trial: Trial)], answer: Answer) {
    var answer = Answer()
    var trials: [(habit: RetryHabit, trial: Trial)] = []
    for habit in RetryHabit.all(for: settings.plan) {
      trials.append((habit, try await attempt(habit.settings(settings), Double(trials.count), &answer)))
    }
    let holding = trials.filter(\.trial.passes)
    guard let best = holding.min(by: { $0.trial.result.provider.calls < $1.trial.result.provider.calls }) else {
      return (trials, answer)
    }
    answer.value = best.trial
    guard settings.plan.clients > scale else { return (trials, answer) }
    let full = best.habit.settings(settings)
    let bytes = MachineWorld.bytes(full)
    if bytes > bytesMax {
      answer.bytesMissed = bytes
    } else {
      answer.proof = try await attempt(full, best.trial.value, &answer, isFull: true)
    }
    return (trials, answer)
  }
}
