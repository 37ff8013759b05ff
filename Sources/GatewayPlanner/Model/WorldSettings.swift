internal import GatewayCore
package import GatewayFleet

/// The settings that decide all that happens in a world: the fleet, the gateway's times, the provider, the link; ten
/// tokens a second, for instance. The same settings make the same hour, whatever the machine.
package struct WorldSettings: Hashable, Sendable {
  /// The fleet; the gateway keeps to its ``StormPlan/gateway``.
  package var plan: StormPlan
  package var provider: ProviderModel
  package var link: LinkModel
  /// What the clients' wire calls the codes of close frames.
  package var closeNames = CloseReason.names
  /// The wire that the clients have, where they have habits of their own; nil for the gateway's own.
  package var wire: WireModel?
  /// How exactly tokens are dated: in whole seconds, say.
  package var tokenGrain = Duration.microseconds(1)
  /// What happens while it lasts, phase by phase.
  package var scenario: StormScenario?
  /// Whether the clients have their first token when they begin, so that no provider is asked for it.
  package var isFirstTokenInHand = false
  /// How many connections the gateway takes a second; nil for any number.
  package var acceptsPerSecond: Double?
  /// When the world ends at the latest; nil for two lives of a token after the plan's own end.
  package var duration: Duration?

  package init(plan: StormPlan, provider: ProviderModel, link: LinkModel = LinkModel()) {
    self.plan = plan
    self.provider = provider
    self.link = link
  }

  /// How many clients a world has at most.
  package static let clientsMax = 20_000_000
  /// The longest duration of anything, so that no sum of times is too large: thirty days.
  package static let longest = Duration.seconds(30 * 86_400)

  /// When the world ends at the latest, if the gateway announced that time-out.
  func end(timeout: Duration?) -> Duration {
    if let duration { return duration }
    return min(max(plan.end(timeout: timeout), phasesEnd) + plan.life.scaled(by: 2), Self.longest)
  }

  /// When the phases of its scenario begin; nil without one, or if they cannot be.
  var times: ScenarioTimes? { (try? scenario?.times(of: plan)) ?? nil }

  /// When the first tokens are asked for together; nil where each expires by itself.
  var onset: Duration? {
    plan.expiry == .common ? min(plan.onset, times?.asksAt ?? plan.onset) : nil
  }

  /// When what disturbs the fleet is over, counted from the start: the last pause and what a scenario orders, else the first
  /// refresh request.
  package var triggerEnd: Duration {
    let pauses = provider.pauses.map { $0.at + $0.length }
    return (pauses + [times?.disturbedUntil].compactMap { $0 }).max() ?? plan.onset
  }

  /// What the gateway's sessions keep to. Throws if no world can have these settings.
  func sessionPolicy() throws -> SessionPolicy {
    try check()
    if let policy = try wire?.policy(on: plan.gateway) { return policy }
    return try SessionPolicy(
      refreshTimeout: plan.gateway.timeout, refreshLead: plan.gateway.lead, refreshSpread: plan.gateway.spread,
      anyRefreshTimeout: true)
  }

  /// Refuses what no world can have.
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
    guard let phases = try scenario?.times(of: plan).phases, let last = phases.last else { return try checkDuration() }
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
