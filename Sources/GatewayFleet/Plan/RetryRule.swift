internal import GatewayCore

/// A limit on the calls of a token endpoint that has failed, beside the wait between them: a retry budget, a circuit
/// breaker, or both.
package struct RetryRule: Hashable, Sendable, Codable {
  /// The holder of the limit: one client, or the whole fleet.
  package enum Scope: String, Hashable, Sendable, Codable, CaseIterable {
    /// Each client has its own.
    case client
    /// All have one, as if one backend asked for all of them.
    case fleet
  }

  /// A budget of retries (Brooker 2022): each retry takes one, and each token puts a part of one back.
  package struct Budget: Hashable, Sendable, Codable {
    /// The deposit of each token that comes, in thousandths at the finest.
    package var deposit: Double
    /// The maximum, which is there at the beginning.
    package var capacity: Int

    package init(deposit: Double = 0.1, capacity: Int = 10) {
      self.deposit = deposit
      self.capacity = capacity
    }
  }

  /// A circuit breaker: after so many failures among the latest calls, no call is made for a time.
  package struct Breaker: Hashable, Sendable, Codable {
    package var failures: Int
    package var of: Int
    @InSeconds package var open: Duration
    /// The calls that are made after that time. If all bring tokens the breaker closes, and otherwise it opens again.
    package var probes: Int

    package init(failures: Int = 5, of: Int = 10, open: Duration = .seconds(30), probes: Int = 1) {
      self.failures = failures
      self.of = of
      self.open = open
      self.probes = probes
    }
  }

  package var per = Scope.client
  package var budget: Budget?
  package var breaker: Breaker?

  package init(per: Scope = .client, budget: Budget? = nil, breaker: Breaker? = nil) {
    self.per = per
    self.budget = budget
    self.breaker = breaker
  }

  /// The bounds of the numbers.
  package static let deposits = 0.0...1_000
  package static let capacities = 0...1_000_000
  package static let windows = 1...64
  package static let probes = 1...100

  /// Returns what is wrong with the numbers; nil if nothing is.
  var fault: String? {
    if budget == nil, breaker == nil { return "a rule for retries has a budget or a breaker" }
    if let budget {
      guard Self.deposits.contains(budget.deposit) else { return "a token puts 0 to 1,000 retries back" }
      guard Self.capacities.contains(budget.capacity) else { return "a retry budget holds 0 to 1,000,000 retries" }
    }
    guard let breaker else { return nil }
    guard Self.windows.contains(breaker.of), (1...breaker.of).contains(breaker.failures) else {
      return "a breaker opens at 1 to all failures of the latest 1 to 64 calls"
    }
    guard Self.probes.contains(breaker.probes) else { return "a breaker has 1 to 100 probes" }
    return breaker.open > .zero && breaker.open <= .seconds(2_592_000)
      ? nil : "a breaker is open for longer than 0 s and at most 30 days"
  }

  /// Returns the rule for another number of clients: a budget that all share grows with them.
  package func scaled(by factor: Double) -> RetryRule {
    guard per == .fleet, let budget else { return self }
    var other = self
    let capacity = min(Double(Self.capacities.upperBound), (Double(budget.capacity) * factor).rounded(.up))
    other.budget?.capacity = max(0, Int(capacity))
    return other
  }
}
