import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayPlanner
import GatewayReport
import GatewayWires

/// A scenario as its file describes it, for `postern storm` and `postern simulate`: the fleet, the gateway, the provider, the
/// world and the phases.
struct SimulateScenario: Sendable {
  /// The parts that a simulation consists of.
  enum Fidelity: String, CaseIterable {
    /// Only the two state machines, without wires.
    case machines
    /// The whole gateway and the storm's clients, over a simulated network.
    case wire
  }

  /// The settings of the one fleet; of several, those of the first.
  var settings: WorldSettings
  /// The fleets of a file that has several; empty for one.
  var fleets: [ScenarioFleet] = []
  /// The vendor whose wire the clients speak, and the vendor's SDK that they imitate; nil if the file has none.
  var dialect: String?
  var sdk: String?
  var fidelity = Fidelity.machines
  /// The thresholds; nil if the file has none.
  var ownThresholds: [Threshold]?
  /// Whether the thresholds of all fleets together are the usual ones, because a file of several fleets has none.
  var hasUsualThresholds = false
  /// The thresholds of each phase.
  var phaseThresholds: [(phase: String, threshold: Threshold)] = []
  /// The keys that affect only a simulation.
  private(set) var simulated: [String] = []
  /// The keys with the name that they had in the last version, as sentences.
  private(set) var notices: [String] = []

  /// The keys, each with the name of its flag of `postern storm` if there is one. Times have their unit as a suffix.
  static let keys =
    [
      "clients", "dialect", "sdk", "rate", "ramp_s", "hold_s", "expiry", "expire_after_s", "life_s", "jitter", "waves",
      "behaviours", "gateway", "client", "provider", "world", "thresholds", "phases",
    ] + arrivalKeys + [fleetsKey]
  /// The key of an editor's schema, which means nothing here.
  static let schemaKey = "$schema"
  static let gatewayKeys = [
    "refresh_timeout_s", "refresh_lead_s", "refresh_spread_s", "connection_rate",
  ]
  static let clientKeys =
    [
      "fetch_timeout_s", "connect_timeout_s", "slow_delay_s", "backoff", "login_tries", "reconnect", "first_token",
      "hammer_pause_s", "hammer_in_vain", "users_per_address", "retry",
    ] + GrantPlan.keys
  /// The names that keys had in the last version.
  static let formerGatewayKeys = [
    "refresh_lead_s": "lead_s", "refresh_spread_s": "spread_s", "connection_rate": "accepts_per_s",
  ]
  /// The thresholds if the file has none.
  private static let usualThresholds = [
    "lost == 0", "connects.failed == 0", "unrefreshed == 0", "overstayed == 0", "late == 0",
  ]
  .compactMap { try? Threshold(parsing: $0) }
  /// The same for clients that come and go.
  static let usualThresholdsOfArrivals = [
    "lost == 0", "connects.failed == 0", "overstayed == 0", "arrivals.not_started == 0",
  ]
  /// The seconds in which all clients connect if no rate is given; more if the storm's usual rate is lower.
  private static let usualRamp = 600.0
  /// The maximum of any duration in seconds: thirty days.
  static let secondsMax = 2_592_000.0

  /// Reads a file.
  init(_ file: Described) throws {
    guard file.value.member(Self.fleetsKey) == nil else {
      self = try Self.several(file)
      return
    }
    try self.init(try file.object(Self.keys + [Self.schemaKey]))
  }

  /// Reads a scenario of one fleet, or one fleet of several.
  init(_ scenario: DescribedObject) throws {
    var plan = StormPlan()
    let dialect = try scenario["dialect"].map { try Self.scheme($0) }
    self.dialect = dialect
    sdk = try scenario["sdk"].map { try Self.sdk(try $0.text(), of: dialect, at: $0) }
    if let clients = scenario["clients"] { plan.clients = try clients.integer(in: 1...WorldSettings.clientsMax) }
    plan.rate = max(plan.rate, Double(plan.clients) / Self.usualRamp)
    if let rate = scenario["rate"] { plan.rate = try rate.number(in: 0.001...Double(WorldSettings.clientsMax)) }
    try scenario["ramp_s"].map { plan.ramp = try $0.seconds() }
    try scenario["hold_s"].map { plan.hold = try $0.seconds() }
    try scenario["expiry"].map { plan.expiry = try $0.choice("expiry", SimulatedExpiry.self).plans }
    try scenario["expire_after_s"].map { plan.expireAfter = try $0.seconds().inSeconds }
    try scenario["life_s"].map { plan.life = try $0.seconds(from: 0.001) }
    try scenario["jitter"].map { plan.jitter = try $0.number(in: 0...1) }
    try scenario["waves"].map { plan.waves = try $0.integer(in: 1...1000) }
    if let behaviours = scenario["behaviours"] {
      let text = try behaviours.text()
      do {
        plan.behaviours = try BehaviourMix(parsing: text)
      } catch {
        throw behaviours.error("\(error)")
      }
    }
    try Self.readArrivals({ scenario[$0] }, into: &plan)
    var settings = WorldSettings(plan: plan, provider: ProviderModel())
    try Self.readGateway(scenario["gateway"], &settings)
    try Self.readClient(scenario["client"], &settings)
    if let provider = scenario["provider"] {
      settings.provider = try ProviderModel(provider)
      if settings.plan.usersPerAddress == nil, settings.provider.budgets.contains(where: { $0.scope == .address }) {
        throw provider.error(
          "a budget by address needs \"users_per_address\" in \"client\": how many users share one, e.g. 200")
      }
      if settings.plan.arrivals != nil, settings.provider.rotation != nil {
        throw provider.error(
          "\"rotation\" is of a fleet that comes once, and \"arrivals\" says when clients come; remove one")
      }
    }
    fidelity = try Self.readWorld(scenario["world"], &settings)
    self.settings = settings
    simulated =
      ["provider", "world"].filter { scenario[$0] != nil }
      + (settings.acceptsPerSecond == nil ? [] : ["gateway.connection_rate"])
      + (settings.isFirstTokenInHand ? ["client.first_token"] : [])
    ownThresholds = try scenario["thresholds"].map { try Self.readThresholds($0) }
    for (part, names) in [("gateway", Self.formerGatewayKeys), ("provider", ProviderModel.formerKeys)] {
      notices += scenario[part].map { $0.notices(of: names) } ?? []
    }
  }

  /// The thresholds to check.
  var thresholds: [Threshold] {
    ownThresholds
      ?? Self.usual(isOpen: settings.plan.arrivals != nil, rotates: settings.provider.rotation != nil)
  }

  /// Returns the thresholds of a file that has none.
  static func usual(isOpen: Bool, rotates: Bool) -> [Threshold] {
    (isOpen ? usualThresholdsOfArrivals.compactMap { try? Threshold(parsing: $0) } : usualThresholds)
      + (rotates ? rotatingThresholds : [])
  }

  /// Adds the notes about keys of several fleets.
  mutating func join(_ fleets: [SimulateScenario]) {
    for fleet in fleets {
      simulated += fleet.simulated.filter { key in !simulated.contains(key) }
      notices += fleet.notices.filter { notice in !notices.contains(notice) }
    }
  }

  private static let rotatingThresholds = ["signed_out == 0"].compactMap { try? Threshold(parsing: $0) }

  /// All thresholds as they were written, including the thresholds of phases.
  var wishes: [String] {
    thresholds.map(\.description) + phaseThresholds.map { "\($0.phase): \($0.threshold)" }
  }

  /// Returns whether all thresholds hold in a world with that share of the fleet. Counts are scaled by the share.
  func keeps(_ result: StormResult, ofShare share: Double) -> Bool {
    guard !result.wasInterrupted, thresholds.allSatisfy({ $0.holds(result, ofShare: share) }) else { return false }
    return phaseThresholds.allSatisfy { name, threshold in
      let phase = result.phases?.first { $0.name.utf8.elementsEqual(name.utf8) }
      return phase.map { threshold.holds($0.result, ofShare: share) } ?? false
    }
  }

  private static func scheme(_ described: Described) throws -> String {
    let schemes = Vendors.all.map { $0.scheme }
    let text = try described.text()
    guard schemes.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
      throw described.unknown(text, "dialect", among: schemes)
    }
    return text
  }

  private static func readGateway(_ described: Described?, _ settings: inout WorldSettings) throws {
    guard let gateway = try described?.object(gatewayKeys, former: formerGatewayKeys) else { return }
    func read(
      _ key: String, _ time: WritableKeyPath<StormPlan.GatewayTimes, Duration>,
      _ source: WritableKeyPath<StormPlan.GatewayTimes, StormPlan.GatewayTimes.Source>, from least: Double
    ) throws {
      guard let value = gateway[key, former: formerGatewayKeys] else { return }
      settings.plan.gateway[keyPath: time] = try value.seconds(from: least)
      settings.plan.gateway[keyPath: source] = .told
    }
    try read("refresh_timeout_s", \.timeout, \.timeoutSource, from: 0.001)
    try read("refresh_lead_s", \.lead, \.leadSource, from: 0)
    try read("refresh_spread_s", \.spread, \.spreadSource, from: 0)
    try gateway["connection_rate", former: formerGatewayKeys].map {
      settings.acceptsPerSecond = try $0.number(in: 0.001...1e9)
    }
  }

  private static func readClient(_ described: Described?, _ settings: inout WorldSettings) throws {
    guard let client = try described?.object(clientKeys) else { return }
    try client["fetch_timeout_s"].map { settings.plan.fetchTimeout = try $0.seconds(from: 0.001) }
    try client["connect_timeout_s"].map { settings.plan.connectTimeout = try $0.seconds(from: 0.001) }
    try client["slow_delay_s"].map { settings.plan.slowDelay = try $0.seconds() }
    try client["hammer_pause_s"].map { settings.plan.hammerPause = try $0.number(in: 0...86_400) }
    try client["hammer_in_vain"].map { settings.plan.hammersInVain = try $0.bool() ? true : nil }
    try client["users_per_address"].map {
      settings.plan.usersPerAddress = try $0.integer(in: 1...WorldSettings.clientsMax)
    }
    settings.plan.grants = try GrantPlan(client)
    settings.plan.retry = try client["retry"].map { try RetryRule($0) }
    try client["login_tries"].map { settings.plan.loginTries = try $0.integer(in: 1...1_000_000) }
    try client["reconnect"].map { settings.plan.reconnects = try $0.bool() }
    try client["first_token"].map {
      settings.isFirstTokenInHand = try $0.choice("first token", FirstToken.self) == .inHand
    }
    guard let backoff = try client["backoff"]?.object(["kind", "base_s", "cap_s"]) else { return }
    try backoff["kind"].map { settings.plan.backoff.kind = try $0.choice("way to wait", Backoff.Kind.self) }
    try backoff["base_s"].map { settings.plan.backoff.base = try $0.seconds(from: 0.001) }
    try backoff["cap_s"].map { settings.plan.backoff.cap = try $0.seconds(from: 0.001) }
  }

  /// The source of the clients' first tokens.
  private enum FirstToken: String, CaseIterable {
    case provider
    case inHand = "in_hand"
  }

  /// The words for ``StormPlan/Expiry``.
  private enum SimulatedExpiry: String, CaseIterable {
    case common
    case own

    var plans: StormPlan.Expiry { self == .own ? .own : .common }
  }

  private static func readWorld(_ described: Described?, _ settings: inout WorldSettings) throws -> Fidelity {
    guard let world = try described?.object(["fidelity", "latency_ms", "loss", "seed", "duration_s"]) else {
      return .machines
    }
    try world["latency_ms"].map { settings.link.latency = try $0.milliseconds(upTo: 60_000) }
    try world["loss"].map { settings.link.loss = try $0.number(in: 0...0.5) }
    try world["seed"].map { settings.plan.seed = UInt64(try $0.integer(in: 0 ... .max)) }
    try world["duration_s"].map { settings.duration = try $0.seconds(from: 0.001) }
    return try world["fidelity"]?.choice("fidelity", Fidelity.self) ?? .machines
  }

  static func readThresholds(_ described: Described) throws -> [Threshold] {
    return try described.elements().map { element in
      let text = try element.text()
      do {
        return try Threshold(parsing: text)
      } catch let error as ThresholdError {
        throw element.error("\(error)")
      }
    }
  }
}

extension Described {
  /// Returns a number of seconds.
  func seconds(from least: Double = 0) throws(DescriptionError) -> Duration {
    .nanoseconds(Int64(try number(in: least...SimulateScenario.secondsMax) * 1e9))
  }

  /// Returns a range of milliseconds: one number, or the least and the most in an array.
  func milliseconds(upTo most: Double) throws(DescriptionError) -> ClosedRange<Duration> {
    let parts = try oneOrMore()
    guard (1...2).contains(parts.count) else { throw error("expected a number, or the least and the most") }
    var times: [Duration] = []
    for part in parts { times.append(.nanoseconds(Int64(try part.number(in: 0...most) * 1e6))) }
    guard times[0] <= times[times.count - 1] else { throw error("the least is above the most") }
    return times[0]...times[times.count - 1]
  }
}
