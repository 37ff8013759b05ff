/// The answers with which rate budgets refuse requests for tokens: 429 for a limit, 403 for a ban.
package struct BudgetTally: Hashable, Sendable, Codable {
  /// Answers of 429, and of 403 to clients that the plan does not have refused.
  package var limited = 0
  package var banned = 0
  /// Both by the behaviour of the clients that got them.
  package var answers: [Behaviour: Int] = [:]
  /// The clients that got one of them at least once, by behaviour.
  package var clients: [Behaviour: Int] = [:]

  package init() {}

  /// The answers of both kinds to clients that do not hammer.
  package var innocentAnswers: Int { Self.innocent(answers) }

  /// The clients that do not hammer and got one of them.
  package var innocentClients: Int { Self.innocent(clients) }

  private static func innocent(_ counts: [Behaviour: Int]) -> Int {
    counts.reduce(0) { $1.key == .hammering ? $0 : $0 + $1.value }
  }

  func isPossible(of clients: Int) -> Bool {
    self.clients.values.allSatisfy { (0...clients).contains($0) } && self.clients.values.reduce(0, +) <= clients
  }

  func merged(_ other: BudgetTally) -> BudgetTally {
    var sum = self
    sum.limited += other.limited
    sum.banned += other.banned
    sum.answers.merge(other.answers, uniquingKeysWith: +)
    sum.clients.merge(other.clients, uniquingKeysWith: +)
    return sum
  }

  /// Returns the counts since `earlier`. Clients that already had a token then are not counted.
  func since(_ earlier: BudgetTally?) -> BudgetTally {
    guard let earlier else { return self }
    var part = self
    part.limited -= earlier.limited
    part.banned -= earlier.banned
    part.answers = Self.since(answers, earlier.answers)
    part.clients = Self.since(clients, earlier.clients)
    return part
  }

  static func since(_ counts: [Behaviour: Int], _ earlier: [Behaviour: Int]) -> [Behaviour: Int] {
    var part = counts
    for (behaviour, count) in earlier { part[behaviour, default: 0] -= count }
    return part
  }

  static func sum(_ one: [Behaviour: Int]?, _ other: [Behaviour: Int]?) -> [Behaviour: Int]? {
    guard var sum = one, let other else { return one ?? other }
    sum.merge(other, uniquingKeysWith: +)
    return sum
  }
}

extension StormResult.Provider {
  /// Returns the number of requests of the clients of one behaviour.
  package func calls(of behaviour: Behaviour) -> Int {
    behaviour == .wellBehaved ? calls - (callsBy?.values.reduce(0, +) ?? 0) : callsBy?[behaviour] ?? 0
  }
}
