import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayProcess
import GatewayReport
import GatewayRuntime
import GatewaySpace
import GatewayWires

/// The flags of `postern storm`, checked.
struct StormOptions {
  var plan: StormPlan
  /// The options of each fleet of a scenario that has several; empty for one.
  var fleets: [StormOptions] = []
  /// The plans of the other fleets, the number of the token provider, and whether the gateway is this fleet's alone.
  var otherPlans: [StormPlan] = []
  var providerNumber = 0
  let hasOwnGateway: Bool
  /// The gateways; each client uses one of them.
  private(set) var gateways: [StormAddress]
  let provider: StormAddress?
  /// Whether the storm hits only the token endpoint, without a gateway.
  let isProviderOnly: Bool
  /// The description of the token endpoint, if there is one.
  let described: TokenDescription?
  var tokens: TokenSource
  /// The control ports of all or some of the gateways.
  private(set) var controls: [StormAddress]
  let controlSecret: Credentials?
  /// The faults of the gateway during the storm, as orders in JSON.
  let faults: [String]
  /// The end of the faults with a duration; nil until they are ordered.
  var faultsEnd: WallTime?
  /// The phases of the storm.
  let scenario: StormScenario?
  /// The name of the scenario's file, without the folder.
  let scenarioName: String?
  /// The thresholds of each phase.
  let phaseThresholds: [(phase: String, threshold: Threshold)]
  var dialect: any ClientDialect
  private let providerPath: String
  var thresholds: [Threshold]
  let reportDirectory: String?
  /// The port of the live page, 0 for any free port; nil for no page.
  let livePort: Int?
  /// How long the live page answers after the end.
  let liveTime: Duration
  let printsJSON: Bool
  let outputs: ReportOutputs
  private let workers: WorkerOptions
  private let care: StormCare
  /// The mark on all requests and upgrades.
  let mark: StormMark?
  /// The collector of the traces; nil for no traces.
  private(set) var telemetry: TelemetrySettings?
  /// The rules that end the storm.
  let stopRules: [StopRule]
  /// Whether the storm ends when no client gets a token for reasons that no retry resolves. Not if it orders faults.
  let endsHopeless: Bool
  /// The resolved hosts, the same for all parts.
  private(set) var pins: [PinnedHost] = []
  /// The time of the first connect; nil for as soon as possible.
  private let startsAt: WallTime?
  /// The gateway's settings, if its control port is known and reports them.
  var settings: GatewayDescription?
  /// The note that the limit of descriptors reduces the number of requests to the provider at once.
  var fetchesNote: String?
  /// The issuer of the clients' tokens, if the storm serves it.
  let issuer: IssuerOptions?
  /// Caveats for the reader of the figures.
  var caveats: [String] = []

  /// The thresholds if no others are given.
  private static let usualThresholds = [
    "lost == 0", "connects.failed == 0", "unrefreshed == 0", "overstayed == 0", "late == 0",
  ]

  /// Reads the flags.
  ///
  /// - Parameters:
  ///   - arguments: The flags, and the values in place of them.
  ///   - part: This process's part of a storm that another process started; it writes no files, and uses no workers.
  ///   - room: The available descriptors; nil for the descriptors of this process.
  init(_ arguments: Arguments, part: StormPart? = nil, room: StormRoom? = nil) throws {
    let draft = try StormDraft(arguments, isPart: part != nil)
    if draft.several != nil { try Self.checkFleets(draft) }
    try self.init(draft, arguments, part, room)
    telemetry = try draft.traces.settings("postern-storm")
    try SimulateScenario.check(thresholds, draft.several?.value.fleets ?? [], of: "--threshold")
    guard draft.several != nil else { return }
    fleets = try Self.fleets(draft, arguments, part, room)
    try join(draft, part, room ?? StormRoom(limit: DescriptorLimit.raised()))
  }

  /// Checks the flags together, and plans the storm.
  ///
  /// - Parameters:
  ///   - draft: The values of the flags.
  ///   - arguments: The flags, of which vendors read their own.
  ///   - part: This process's part, as above.
  ///   - room: The available descriptors, as above.
  init(_ draft: StormDraft, _ arguments: Arguments, _ part: StormPart? = nil, _ room: StormRoom? = nil) throws {
    let room = room ?? StormRoom(limit: DescriptorLimit.raised())
    let web = arguments.flags["control-url"]?.name
    gateways = try draft.urls.map {
      try StormAddress($0, schemes: ("ws", "wss"), isInsecure: draft.isInsecure, web: web)
    }
    isProviderOnly = draft.isProviderOnly
    hasOwnGateway = draft.fleets.indices.contains(draft.fleet) && draft.fleets[draft.fleet].endpoints.url != nil
    guard isProviderOnly || !gateways.isEmpty else {
      throw UsageError("--url is needed: the gateway, as ws://127.0.0.1:8080 (or --provider-only, with --tokens)")
    }
    let gateway = gateways.first
    guard gateways.allSatisfy({ $0.path == gateway?.path }) else {
      throw UsageError("--url: the gateways of one storm have one path")
    }
    provider = try draft.provider.map {
      try StormAddress($0, schemes: ("http", "https"), isInsecure: draft.isInsecure)
    }
    controls = try draft.controls.map {
      try StormAddress($0, schemes: ("http", "https"), isInsecure: draft.isInsecure)
    }
    controlSecret = draft.controlSecret
    faults = draft.faults.map(\.text)
    guard faults.isEmpty || !controls.isEmpty else {
      throw UsageError("--fault needs --control-url, whose gateway is to fail")
    }
    let file = draft.scenario?.value
    scenario = file?.settings.scenario
    scenarioName = draft.scenarioName
    phaseThresholds = file?.phaseThresholds ?? []
    guard !controls.isEmpty || scenario?.phases.contains(where: \.wantsControl) != true else {
      throw UsageError("--scenario has orders or faults and needs --control-url, whose gateway they are for")
    }
    let dialect = isProviderOnly ? nil : try StormDialect(draft, arguments)
    let wire = (dialect?.client as? DescribedClientDialect)?.wire
    described = try Self.described(draft, wireTaken: wire?.takenBeforeToken ?? [])
    if isProviderOnly { try Self.checkAlone(draft) }
    providerPath = dialect?.providerPath ?? ""
    issuer = try IssuerOptions(draft, draft.planned(), arguments, dialect, isPart: part != nil)
    tokens = try Self.tokens(
      draft, arguments, dialect, described: described, provider: provider,
      gateway: try draft.home.map { try StormAddress($0, schemes: ("ws", "wss"), isInsecure: draft.isInsecure) }
        ?? gateway, issuer: issuer?.issuer)
    let endpoint = described == nil ? "--provider" : "--tokens"
    care = StormCare(
      gateways.map { ($0.target, "--url") } + controls.map { ($0.target, "--control-url") }
        + tokens.targets.map { [endpoint] in ($0, endpoint) })
    try care.check(draft)
    mark = try care.mark(isUnmarked: draft.isUnmarked, run: part?.run ?? Self.newRun())
    stopRules = try care.stopRules(draft.stopRules)
    endsHopeless = draft.stopRules.isEmpty && faults.isEmpty && scenario == nil
    guard provider?.path == nil || described != nil || dialect?.mayMoveProvider ?? true else {
      throw UsageError("--provider: the Platform API's paths are its own; give an address without one")
    }
    thresholds = try Self.thresholds(
      draft.thresholds, file, rotates: described?.showsTaken ?? false, issuer?.issuer.rules)
    reportDirectory = draft.reportDirectory
    livePort = draft.livePort
    liveTime = draft.liveTime?.value ?? .zero
    guard draft.liveTime == nil || livePort != nil else {
      throw UsageError("--live-for needs --live, whose page it keeps")
    }
    printsJSON = draft.printsJSON
    outputs = draft.outputs
    workers = try WorkerOptions(draft.workers)
    guard !printsJSON || !outputs.printsSummary else {
      throw UsageError("--json and --summary are both given; remove one")
    }
    startsAt = draft.startsAt
    try draft.checkArrivals()
    do {
      plan = draft.planned()
      care.hold(&plan, draft)
      self.dialect = dialect?.client ?? AloneClientDialect(plan)
      plan.dialect = self.dialect.name
      plan.sdk = self.dialect.sdk
      plan.comeback = dialect?.comeback ?? .zero
      try Self.check(draft, &plan, described)
      if isProviderOnly { try Self.checkAlone(plan) }
      caveats += Self.caveats(described, plan) + (file?.stormCaveats ?? [])
      if !draft.mints, draft.fetches == nil, room.fetches(usual: plan.fetches) < plan.fetches {
        plan.fetches = room.fetches(usual: plan.fetches)
        fetchesNote = room.note(fetches: plan.fetches)
        caveats += [room.note(fetches: plan.fetches)]
      }
      try draft.fit(&plan, in: room, gateways: gateways, parts: part?.processes)
      care.share(&plan, draft)
      guard issuer == nil || plan.processes == 1 else {
        throw UsageError(
          "--serve-jwks is for a storm of one process, and the limit of descriptors asks for \(plan.processes); give fewer "
            + "--clients, or raise the limit (ulimit -n)")
      }
      try plan.check()
      if draft.several == nil { _ = try scenario?.times(of: plan) }
      guard plan.addresses <= StormPlan.addressesMax else {
        throw UsageError(
          "\"users_per_address\" of --scenario: \(Figures.count(plan.clients)) clients need "
            + "\(Figures.count(plan.addresses)) addresses, and a storm has at most \(StormPlan.addressesMax); give "
            + "fewer --clients, or --sources")
      }
    } catch let error as StormPlanError {
      throw UsageError((plan.fleet.map { "the fleet '\($0.name)': " } ?? "") + "\(error)")
    }
  }

  /// Returns a unique name for a run: 16 hexadecimal digits.
  static func newRun() -> String {
    var system = SystemRandomNumberGenerator()
    let text = String(system.next(), radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  /// Whether the storm hits any host other than this machine.
  var isOfOthers: Bool { care.isOfOthers }

  /// Resolves the hosts other than this machine, and keeps these addresses. May take seconds.
  ///
  /// - Parameter given: The addresses found by the process that started the storm; nil to resolve the hosts.
  mutating func pin(_ given: [PinnedHost]?) throws {
    pins = try given ?? care.pin()
    for index in fleets.indices {
      try fleets[index].pin(given)
      pins += fleets[index].pins.filter { !pins.contains($0) }
    }
    for index in gateways.indices { gateways[index].target = gateways[index].target.pinned(to: pins) }
    for index in controls.indices { controls[index].target = controls[index].target.pinned(to: pins) }
    switch tokens {
    case .provider(let target, let path): tokens = .provider(target.pinned(to: pins), path: path)
    case .endpoint(let endpoint, let places):
      tokens = .endpoint(endpoint, places: places.map { $0.pinned(to: pins) })
    case .minted: break
    }
  }

  private static func thresholds(
    _ texts: [String], _ file: SimulateScenario?, rotates: Bool, _ issuer: IssuerRules?
  ) throws -> [Threshold] {
    if texts.isEmpty, let own = file?.ownThresholds { return own }
    do {
      let isOpen = file?.settings.plan.arrivals != nil
      let usual =
        (isOpen ? SimulateScenario.usualThresholdsOfArrivals : usualThresholds) + (rotates ? ["signed_out == 0"] : [])
        + (issuer == nil ? [] : ["refused.valid == 0"])
        + (issuer.map { $0.forged > 0 } ?? false ? ["forged.accepted == 0"] : [])
      return try (texts.isEmpty ? usual : texts).map { try Threshold(parsing: $0) }
    } catch let error as ThresholdError {
      throw UsageError("--threshold: \(error)")
    }
  }

  /// The times of the scenario's phases. Empty if the gateway's own settings have moved the plan's wave ahead of the phase
  /// before it.
  var times: ScenarioTimes {
    let plans = fleets.isEmpty ? [plan] + otherPlans : fleets.map(\.plan)
    return (try? scenario?.times(of: plans)) ?? ScenarioTimes()
  }

  /// Returns the setup for one process.
  func setup(startsAt: WallTime, process: Int) -> StormSetup {
    var setup = StormSetup(
      plan: plan, dialect: dialect,
      gateways: isProviderOnly ? [DialTarget(host: "none", port: 1)] : gateways.map(\.target),
      tokens: tokens, startsAt: startsAt)
    setup.upgradeTarget = gateways.first?.path
    setup.controls = controls.map(\.target)
    setup.controlSecret = controlSecret
    setup.process = process
    setup.provider = providerNumber
    setup.phases = times
    setup.trial = issuer?.issuer
    return setup
  }

  /// Returns when the first client connects, if everything is ready at `ready`.
  ///
  /// Unless a flag sets the time, the common expiry falls on a whole second, since vendors date their tokens in whole
  /// seconds.
  func start(ready: WallTime) -> WallTime {
    if let startsAt { return startsAt }
    guard plan.dialect != "plain" || described != nil, plan.expiry == .common else { return ready }
    let second: Int64 = 1_000_000_000
    let past = (ready + plan.expiresAfter).nanoseconds % second
    return past == 0 ? ready : ready + .nanoseconds(second - past)
  }

  /// Asks the workers whether they are there, and returns one for each part; none if the storm runs on this machine.
  mutating func connectWorkers() async throws -> [WorkerLink] {
    let links = try await workers.connect(parts: plan.processes)
    caveats += WorkerOptions.caveats(links)
    return links
  }

  var gatewayText: String {
    if !fleets.isEmpty { return texts(\.gatewayText) }
    if isProviderOnly { return "none: the token endpoint alone" }
    return gateways.map { $0.text(scheme: "ws", defaultPath: dialect.upgradeTarget) }.joined(separator: ", ")
  }

  var providerText: String {
    if !fleets.isEmpty { return texts(\.providerText) }
    return switch tokens {
    case .minted:
      "none: the clients minted their tokens" + (issuer.map { "; their keys at \($0.issuer.rules.address)" } ?? "")
    case .endpoint(_, let places):
      (described?.name ?? "described") + " at "
        + places.map { StormAddress($0).text(scheme: "http", defaultPath: "") }.joined(separator: ", ")
    case .provider(let target, _):
      (provider ?? StormAddress(target)).text(scheme: "http", defaultPath: providerPath)
    }
  }
}
