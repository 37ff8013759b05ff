/// The outcome of one fleet of a storm that has several.
package struct FleetResult: Hashable, Sendable, Codable {
  package let name: String
  /// The fleet of which it is a part; nil if it is a fleet of its own.
  package let group: String?
  package var result: StormResult

  package init(_ place: FleetPlace, _ result: StormResult) {
    name = place.name
    group = place.group
    self.result = result
  }
}

extension StormResult {
  /// Returns the outcome of all fleets together, which it keeps beside it. Each has been measured with bins of one width.
  package static func whole(_ fleets: [FleetResult]) -> StormResult {
    var whole = StormResult()
    for fleet in fleets {
      whole.merge(fleet.result)
      if let horizon = fleet.result.horizon { whole.add(horizon: horizon) }
    }
    // The time until a share of all are refreshed counts from a common expiry, which some fleets do not have.
    if fleets.contains(where: { $0.result.refreshes.accepted > 0 && $0.result.latencies.sinceOnset.count == 0 }) {
      whole.latencies.sinceOnset = LatencyHistogram()
    }
    whole.source = fleets.first?.result.source
    whole.fleets = fleets
    return whole
  }

  private mutating func add(horizon other: [Int]) {
    var sum = horizon ?? []
    while sum.count < other.count { sum.append(0) }
    for (step, number) in other.enumerated() { sum[step] += number }
    horizon = sum
  }

  /// Returns the outcome of the fleet of that name, or of all parts of the fleet of that name; nil if there is none.
  package func fleet(named name: String) -> StormResult? {
    let found = (fleets ?? []).filter { fleet in
      [fleet.name, fleet.group].contains { $0?.utf8.elementsEqual(name.utf8) ?? false }
    }
    guard found.count != 1 else { return found[0].result }
    var whole = StormResult.whole(found)
    whole.fleets = nil
    return found.isEmpty ? nil : whole
  }

  /// Merges each fleet with the one of the same name; all processes have the same fleets.
  mutating func merge(fleets others: [FleetResult]?) {
    guard let others else { return }
    guard var own = fleets else {
      fleets = others
      return
    }
    for other in others {
      if let index = own.firstIndex(where: { $0.name.utf8.elementsEqual(other.name.utf8) }) {
        own[index].result.merge(other.result)
      } else {
        own.append(other)
      }
    }
    fleets = own
  }
}
