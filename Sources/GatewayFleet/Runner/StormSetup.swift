package import GatewayCore
package import GatewayRuntime

/// A plan with all that ties it to a place: whom to storm, with whose tokens, beginning when, and which part of the
/// fleet this process has; the second of four, for instance.
package struct StormSetup: Sendable {
  package var plan: StormPlan
  package var dialect: any ClientDialect
  /// The gateways, of which a client keeps to one; `DialTarget.source` is set for each client.
  package var gateways: [DialTarget]
  /// Path and query of the upgrade: the path takes the place of the dialect's own, the parameters come before its own.
  package var upgradeTarget: String? {
    didSet { override = upgradeTarget.map(Self.parts) }
  }
  private var override: (path: String, query: [HTTPField])?
  package var tokens: TokenSource
  /// Where the gateways' metrics are, if they are to be read.
  package var controls: [DialTarget] = []
  /// What the control port wants as `Authorization: Bearer`, if anything.
  package var controlSecret: Credentials?
  /// When the first client connects. The same in every process of the storm.
  package var startsAt: WallTime
  /// When the phases of its scenario begin; none without one.
  package var phases = ScenarioTimes()
  /// When all that was ordered to disturb the fleet is over, counted from the start; nil if nobody knows.
  package var disturbedUntil: Duration?
  /// Whether a part that is through waits, its clients connected, until it is told to leave by ``StormRunner/interrupt()``:
  /// so that no part's farewell is counted while others still storm.
  package var waitsForOthers = false
  /// How many processors the loops may use, where the storm measures its own lateness; nil in virtual time, which is never late.
  package var processors: Int?
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

  /// When the first tokens expire together; nil if each expires by itself.
  package var expiresAt: WallTime? {
    plan.expiry == .common ? startsAt + plan.expiresAfter : nil
  }

  /// When the first tokens are asked for together, counted from the start: by the plan, or by an order of the scenario that
  /// comes before. Nil if each expires by itself.
  var onset: Duration? {
    guard plan.expiry == .common else { return nil }
    return min(plan.onset, phases.asksAt ?? plan.onset)
  }

  /// Whether the storm waits for every refresh, also beyond the waves: its scenario may have ordered it.
  var awaitsAll: Bool { phases.asksAt != nil }

  /// Where client number `index` connects to, and from where.
  func gateway(of index: Int) -> DialTarget {
    var gateway = gateways[index % gateways.count]
    gateway.source = plan.source(of: index)
    return gateway
  }

  /// Whether the endpoint decides when tokens end.
  package var endpointChoosesEnds: Bool {
    if case .endpoint(let endpoint, _) = tokens { !endpoint.takesEnds } else { false }
  }

  /// The plan, where tokens live as long as those that have come.
  func plan(living life: Duration?) -> StormPlan {
    guard endpointChoosesEnds, let life else { return plan }
    var plan = plan
    plan.life = life
    return plan
  }

  /// When the storm ends at the latest, counted from its start: not before its scenario does, unless the plan says so.
  ///
  /// - Parameter life: The longest life of a token that has come.
  func end(timeout: Duration?, life: Duration? = nil) -> Duration {
    let end = plan(living: life).end(timeout: timeout)
    return plan.bound == nil ? max(end, phases.end) : end
  }

  /// The upgrade request of a client.
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

/// The source of the clients' tokens: the gateway's own provider at `/v1/tokens`, for instance.
package enum TokenSource: Sendable {
  /// Asked over HTTP; the path, if given, in place of the dialect's own.
  case provider(DialTarget, path: String?)
  /// Minted by the clients themselves, so that no provider takes part.
  case minted(any TokenIssuer)
  /// Asked over HTTP as somebody describes it; the places are those of its requests.
  case endpoint(any TokenEndpoint, places: [DialTarget])
}
