package import GatewayCore
package import GatewayRuntime

/// A plan with its place: the gateways, the source of the tokens, the start, and this process's part of the fleet.
package struct StormSetup: Sendable {
  package var plan: StormPlan
  package var dialect: any ClientDialect
  /// The gateways; each client uses one of them, and `DialTarget.source` is set for each client.
  package var gateways: [DialTarget]
  /// The path and query of the upgrade. The path replaces the dialect's own, and the parameters come before the
  /// dialect's.
  package var upgradeTarget: String? {
    didSet { override = upgradeTarget.map(Self.parts) }
  }
  private var override: (path: String, query: [HTTPField])?
  package var tokens: TokenSource
  /// The trial of the gateway's judgement of tokens; nil if the storm serves no keys.
  package var trial: (any KeyTrial)?
  /// The control ports from which the gateways' metrics are read, if any.
  package var controls: [DialTarget] = []
  /// The secret that the control port requires as `Authorization: Bearer`, if any.
  package var controlSecret: Credentials?
  /// The time at which the first client connects, the same in every process of the storm.
  package var startsAt: WallTime
  /// The beginnings of the scenario's phases; none without a scenario.
  package var phases = ScenarioTimes()
  /// The time at which all ordered disturbances of the fleet are over, counted from the start; nil if unknown.
  package var disturbedUntil: Duration?
  /// Whether a part that is done keeps its clients connected until ``StormRunner/interrupt()``. Otherwise its closes
  /// would count while other parts still run.
  package var waitsForOthers = false
  /// The number of processors that the loops may use, if the storm measures its own lateness; nil in virtual time,
  /// which is never late.
  package var processors: Int?
  /// The number of the token provider among those of the storm. Fleets with the same number wait in one queue for it.
  package var provider = 0
  /// The queues of all fleets of this process; nil if this is the only fleet.
  var queues: FetchQueues?
  /// The maximum duration of all fleets together, counted from the start; nil if this is the only fleet.
  var longest: Duration?
  /// The traces of each loop; none without traces.
  package var traces: [LoopTraces] = []
  /// The number of this process, 0..<``StormPlan/processes``.
  package var process = 0

  package init(
    plan: StormPlan, dialect: any ClientDialect, gateways: [DialTarget], tokens: TokenSource, startsAt: WallTime
  ) {
    precondition(!gateways.isEmpty, "a storm has a gateway")
    self.plan = plan
    self.dialect = dialect
    self.gateways = gateways
    self.tokens = tokens
    self.startsAt = startsAt
  }

  /// The time at which the first tokens expire together; nil if each expires by itself.
  package var expiresAt: WallTime? {
    plan.expiry == .common ? startsAt + plan.expiresAfter : nil
  }

  /// The time at which the first tokens are asked for together, counted from the start: by the plan, or earlier by an
  /// order of the scenario. Nil if each expires by itself.
  var onset: Duration? {
    guard plan.expiry == .common else { return nil }
    return min(plan.onset, phases.asksAt ?? plan.onset)
  }

  /// Whether the storm waits for every refresh, even beyond the waves: its scenario may have ordered it.
  var awaitsAll: Bool { phases.asksAt != nil }

  /// How clients share refresh tokens. If the plan does not say, each has its own, and logs in again once it is refused.
  var grants: GrantPlan {
    if let grants = plan.grants { return grants }
    var alone = GrantPlan()
    alone.signedOut = .login
    return alone
  }

  /// Returns the number in the whole storm of a client's user.
  func user(of index: Int) -> Int { (plan.fleet?.firstUser ?? 0) + grants.user(of: index) }

  /// Returns the gateway of client number `index`, with the client's source address.
  func gateway(of index: Int) -> DialTarget {
    var gateway = gateways[index % gateways.count]
    gateway.source = plan.source(of: index)
    return gateway
  }

  /// Whether the endpoint decides the ends of tokens.
  package var endpointChoosesEnds: Bool {
    if case .endpoint(let endpoint, _) = tokens { !endpoint.takesEnds } else { false }
  }

  /// Returns the plan with the life of the tokens that have arrived, if the endpoint decides their ends.
  func plan(living life: Duration?) -> StormPlan {
    guard endpointChoosesEnds, let life else { return plan }
    var plan = plan
    plan.life = life
    return plan
  }

  /// Returns the latest end of the storm, counted from its start. It is not before the end of its scenario, unless the
  /// plan has a bound.
  ///
  /// - Parameters:
  ///   - timeout: The longest timeout that the gateway announced; nil for none.
  ///   - life: The longest life of a token that has arrived.
  func end(timeout: Duration?, life: Duration? = nil) -> Duration {
    let end = plan(living: life).end(timeout: timeout)
    return plan.bound == nil ? max(end, phases.end) : end
  }

  /// Returns the upgrade request of a client.
  func upgrade(of client: ClientIdentity, _ memory: ClientMemory?) -> ClientUpgrade {
    var upgrade = dialect.upgrade(of: client, memory)
    if let override {
      upgrade.request.path = override.path
      upgrade.request.query = override.query + upgrade.request.query
    }
    return upgrade
  }

  private static func parts(_ target: String) -> (path: String, query: [HTTPField]) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts[0]), parts.count < 2 ? [] : parts[1].split(separator: "&").map(parameter))
  }

  private static func parameter(_ text: Substring) -> HTTPField {
    let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let decoded = sides.map { PercentEncoding.decode($0) ?? String($0) }
    return HTTPField(decoded[0], decoded.count > 1 ? decoded[1] : "")
  }
}

/// The source of the clients' tokens.
package enum TokenSource: Sendable {
  /// A provider over HTTP; the path, if given, replaces the dialect's own.
  case provider(DialTarget, path: String?)
  /// The clients themselves, so that no provider takes part.
  case minted(any TokenIssuer)
  /// A described endpoint over HTTP; the places are the targets of its requests.
  case endpoint(any TokenEndpoint, places: [DialTarget])
}
