package import GatewayFleet

/// The part of one fleet in the report of a storm that has several.
package struct FleetReport: Sendable {
  package let name: String
  /// The fleet of which it is a part; nil if it is a fleet of its own.
  package let group: String?
  /// Its plan, with its own gateway and provider, and its outcome.
  package let plan: StormPlan
  package let gateway: String
  package let provider: String
  package let result: StormResult

  package init(_ place: FleetPlace, plan: StormPlan, gateway: String, provider: String, result: StormResult) {
    name = place.name
    group = place.group
    self.plan = plan
    self.gateway = gateway
    self.provider = provider
    self.result = result
  }

  /// The dialect of its clients, and the SDK whose habits they had.
  var dialectText: String { plan.sdk.map { "\(plan.dialect), \($0) SDK" } ?? plan.dialect }

  /// Returns the sentences of all fleets. One that all have alike is said once, another with the fleet's name.
  package static func joined(_ fleets: [(name: String, sentences: [String])]) -> [String] {
    let common = (fleets.first?.sentences ?? []).filter { sentence in
      fleets.allSatisfy { $0.sentences.contains { $0.utf8.elementsEqual(sentence.utf8) } }
    }
    return common
      + fleets.flatMap { fleet in
        fleet.sentences.filter { sentence in !common.contains { $0.utf8.elementsEqual(sentence.utf8) } }
          .map { "\(fleet.name): \($0)" }
      }
  }
}
