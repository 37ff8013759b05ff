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
}
