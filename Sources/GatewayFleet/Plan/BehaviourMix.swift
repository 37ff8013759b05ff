internal import GatewayCore

/// The shares of a fleet's behaviours, of any sum, e.g. 9 well-behaved to 1 slow.
package struct BehaviourMix: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The weights; missing ones are 0.
  package let weights: [Behaviour: Double]

  /// The mix in which all clients behave well.
  package static let allWell = BehaviourMix(checked: [.wellBehaved: 1])

  /// Creates a mix of weights that are not negative and not all 0.
  package init(_ weights: [Behaviour: Double]) throws(StormPlanError) {
    // The limits keep each share of the fleet a finite number for any sum, and above 0.
    guard weights.values.allSatisfy({ $0 == 0 || (1e-9...1e9).contains($0) }),
      weights.values.contains(where: { $0 > 0 })
    else {
      throw StormPlanError("the shares of behaviours must be 0 or from 1e-9 to 1e9, and one must be above 0")
    }
    self.init(checked: weights)
  }

  private enum CodingKeys: CodingKey {
    case weights
  }

  /// Decodes a mix. Throws if its weights make none.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    do {
      try self.init(container.decode([Behaviour: Double].self, forKey: .weights))
    } catch let error as StormPlanError {
      throw DecodingError.dataCorruptedError(forKey: .weights, in: container, debugDescription: "\(error)")
    }
  }

  private init(checked weights: [Behaviour: Double]) {
    self.weights = weights
  }

  /// Creates the mix that `text` describes, e.g. `well-behaved=90,slow=4,forgetful=6`.
  package init(parsing text: String) throws(StormPlanError) {
    var weights: [Behaviour: Double] = [:]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, let behaviour = Behaviour(rawValue: String(sides[0])), let weight = Double(sides[1])
      else {
        let names = Behaviour.allCases.map(\.rawValue).joined(separator: ", ")
        throw StormPlanError("'\(part)' is not name=share; the names are \(names)")
      }
      guard weights[behaviour] == nil else { throw StormPlanError("'\(sides[0])' has two shares") }
      weights[behaviour] = weight
    }
    try self.init(weights)
  }

  package var description: String {
    Behaviour.allCases.compactMap { behaviour in
      weights[behaviour].flatMap { $0 > 0 ? "\(behaviour.rawValue)=\(Self.short($0))" : nil }
    }.joined(separator: ",")
  }

  private static func short(_ weight: Double) -> String {
    weight == weight.rounded() && abs(weight) < 1e15 ? String(Int(weight)) : String(weight)
  }

  /// Returns the number of clients of each behaviour. Counts are exact by largest remainder, ties go to the earlier
  /// behaviour, and the sum is `clients`.
  package func counts(of clients: Int) -> [Behaviour: Int] {
    let total = weights.values.reduce(0, +)
    var counts: [Behaviour: Int] = [:]
    var remainders: [(behaviour: Behaviour, remainder: Double)] = []
    for behaviour in Behaviour.allCases {
      let exact = Double(clients) * (weights[behaviour] ?? 0) / total
      counts[behaviour] = Int(exact)
      remainders.append((behaviour, exact - exact.rounded(.down)))
    }
    let missing = clients - counts.values.reduce(0, +)
    // The standard library's sort is stable, so equal remainders stay in the order of the behaviours.
    for (behaviour, _) in remainders.sorted(by: { $0.remainder > $1.remainder }).prefix(max(0, missing)) {
      counts[behaviour, default: 0] += 1
    }
    return counts
  }

  /// Returns each client's behaviour: the exact counts, shuffled by `seed`. The result is the same in every process of
  /// a storm.
  package func assignment(clients: Int, seed: UInt64) -> [Behaviour] {
    let counts = counts(of: clients)
    var fleet = Behaviour.allCases.flatMap { Array(repeating: $0, count: counts[$0] ?? 0) }
    var generator = SeededGenerator(seed: seed)
    fleet.shuffle(using: &generator)
    return fleet
  }
}
