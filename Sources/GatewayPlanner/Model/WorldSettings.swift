internal import GatewayCore
package import GatewayFleet

/// The settings of a world: the fleet, the gateway's times, the provider and the link. The same settings have the same
/// outcome on every machine.
package struct WorldSettings: Hashable, Sendable {
  /// The fleet; the gateway uses its ``StormPlan/gateway``.
  package var plan: StormPlan
  package var provider: ProviderModel
  package var link: LinkModel
  /// The dialect's names of close codes.
  package var closeNames = CloseReason.names
  /// The clients' dialect if they have habits of their own; nil for the gateway's own dialect.
  package var wire: WireModel?
  /// The precision of tokens' times, e.g. whole seconds.
  package var tokenGrain = Duration.microseconds(1)
  /// The scenario, phase by phase.
  package var scenario: StormScenario?
  /// Whether clients have their first token when they begin, so that they do not ask the provider for it.
  package var isFirstTokenInHand = false
  /// Whether there is no gateway, as with `--provider-only`: a client counts as logged in when it has a token, and renews
  /// it by its own timer.
  package var isAlone = false
  /// The number of connections that the gateway accepts per second; nil for no limit.
  package var acceptsPerSecond: Double?
  /// A push that the planner gives the fleet; nil for none.
  package var disturbance: Disturbance?
  /// Whether the world goes on for its whole duration, although nobody need be waited for.
  package var runsToItsEnd = false
  /// A loop that the planner cuts; nil for none.
  package var cut: WorldCut?
  /// The provider and the gateway that the fleet shares with others of its world.
  package var place = WorldPlace()
  /// The maximum duration of the world; nil for two token lives after the plan's own end.
  package var duration: Duration?

  package init(plan: StormPlan, provider: ProviderModel, link: LinkModel = LinkModel()) {
    self.plan = plan
    self.provider = provider
    self.link = link
  }

  /// The maximum number of clients of a world.
  package static let clientsMax = 20_000_000
  /// The maximum of every duration, so that no sum of times overflows: thirty days.
  package static let longest = Duration.seconds(30 * 86_400)

  /// Returns the maximum duration of the world for a timeout that the gateway announced.
  func end(timeout: Duration?) -> Duration {
    if let duration { return duration }
    if plan.arrivals != nil { return max(plan.end(timeout: timeout), phasesEnd) }
    return min(max(plan.end(timeout: timeout), phasesEnd) + plan.life.scaled(by: 2), Self.longest)
  }

  /// The plans of all fleets of the world.
  package var plans: [StormPlan] { [plan] + place.others }

  /// The times of its scenario's phases; nil without a scenario, or if they are impossible.
  var times: ScenarioTimes? { (try? scenario?.times(of: plans)) ?? nil }

  /// The time at which the first tokens are asked for together; nil if each expires by itself.
  var onset: Duration? {
    plan.expiry == .common ? min(plan.onset, times?.asksAt ?? plan.onset) : nil
  }

  /// The end of the fleet's disturbance, counted from the start: the last of the pauses, of the scenario's orders
  /// and of a push, or the first refresh request if there are none.
  package var triggerEnd: Duration {
    let pauses = provider.pauses.map { $0.at + $0.length }
    return (pauses + [times?.disturbedUntil, disturbance?.end].compactMap { $0 }).max() ?? plan.onset
  }

  /// Returns the policy of the gateway's sessions. Throws an error if the settings are impossible.
  func sessionPolicy() throws -> SessionPolicy {
    try check()
    if let policy = try wire?.policy(on: plan.gateway) { return policy }
    return try SessionPolicy(
      refreshTimeout: plan.gateway.timeout, refreshLead: plan.gateway.lead, refreshSpread: plan.gateway.spread,
      anyRefreshTimeout: true)
  }

  /// Throws an error if the settings are impossible.
  package func check() throws(StormPlanError) {
    try plan.check(millions: Self.clientsMax / 1_000_000)
    for time in [plan.life, plan.hold, plan.ramp, plan.gateway.timeout, plan.gateway.lead, plan.gateway.spread] {
      guard time <= Self.longest else { throw StormPlanError("nothing may take longer than 30 days") }
    }
    guard plan.pacer.duration <= Self.longest else {
      throw StormPlanError("the clients would take longer than 30 days to connect; raise the rate")
    }
    guard plan.expiresAfter <= Self.longest else {
      throw StormPlanError("the first tokens would expire later than in 30 days")
    }
    guard let phases = try scenario?.times(of: plans).phases, let last = phases.last else { return try checkDuration() }
    guard last.start + last.length <= Self.longest else {
      throw StormPlanError("the phases would last longer than 30 days")
    }
    try checkDuration()
  }

  private func checkDuration() throws(StormPlanError) {
    guard tokenGrain >= .microseconds(1), tokenGrain <= Self.longest else {
      throw StormPlanError("tokens are dated by a microsecond at the finest")
    }
    guard duration.map({ $0 > .zero && $0 <= Self.longest }) ?? true else {
      throw StormPlanError("a world lasts longer than 0 s and at most 30 days")
    }
  }
}
