import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayProcess
import GatewayReport
import GatewayRuntime
import GatewayWires

// A storm of several fleets. Each has options of its own, as if it were alone, and its place among the others.

extension StormOptions {
  /// Rejects flags that would take from the fleets what each has for itself.
  static func checkFleets(_ draft: StormDraft) throws {
    let file = draft.scenarioName ?? "--scenario"
    for (flag, value) in [("dialect", draft.dialect), ("sdk", draft.sdk)] where value != nil {
      throw UsageError(
        "--\(flag): \(file) has several fleets, each with its own; leave the flag out, or change the file")
    }
    if let wire = draft.wire, wire.source.utf8.starts(with: "--wire".utf8) {
      throw UsageError("--wire: \(file) has several fleets, each with its own; leave the flag out, or change the file")
    }
  }

  /// Returns the options of each fleet of a scenario that has several.
  static func fleets(
    _ draft: StormDraft, _ arguments: Arguments, _ part: StormPart?, _ room: StormRoom?
  ) throws -> [StormOptions] {
    try draft.fleets.indices.map { index in
      let own = try StormDraft(arguments, isPart: part != nil, fleet: index)
      if let unplaced = own.unplaced, !own.mints { throw unplaced }
      let options = try StormOptions(own, arguments, part, room)
      guard !options.isOfOthers else {
        throw UsageError(
          "\(draft.scenarioName ?? "--scenario") has several fleets, which storm only this machine; storm other hosts with "
            + "a file for each fleet")
      }
      return options
    }
  }

  /// Gives each fleet its place, and sets what is true of all together.
  mutating func join(_ draft: StormDraft, _ part: StormPart?, _ room: StormRoom) throws {
    let seed = plan.seed
    setProviders()
    try fitTogether(draft, part, room)
    if draft.thresholds.isEmpty, draft.several?.value.hasUsualThresholds == true,
      fleets.contains(where: { $0.described?.showsTaken ?? false }),
      !thresholds.contains(where: { $0.fleet == nil && $0.metric.name.utf8.elementsEqual("signed_out".utf8) })
    {
      thresholds += try [Threshold(parsing: "signed_out == 0")]
    }
    caveats = FleetReport.joined(fleets.map { (name: $0.fleetName, sentences: $0.caveats) })
    try split(seed: seed)
  }

  private var fleetName: String { plan.fleet?.name ?? "" }

  /// Numbers the token providers. Fleets that ask the same hosts share one.
  private mutating func setProviders() {
    var known: [[String]] = []
    for index in fleets.indices {
      let hosts = fleets[index].tokens.targets.map { "\($0.host):\($0.port)" }
      fleets[index].providerNumber = known.firstIndex(of: hosts) ?? known.count
      if fleets[index].providerNumber == known.count { known.append(hosts) }
    }
  }

  /// Sets the numbers of processes, of requests at once and of addresses that all fleets together need.
  private mutating func fitTogether(_ draft: StormDraft, _ part: StormPart?, _ room: StormRoom) throws {
    let providers = draft.mints ? 0 : (fleets.map(\.providerNumber).max() ?? 0) + 1
    var fetches = plan.fetches
    if draft.fetches == nil, providers > 1 {
      fetches = max(1, room.fetches(usual: fetches * providers) / providers)
      if fetches < plan.fetches { fetchesNote = room.note(fetches: fetches) }
    }
    let clients = fleets.reduce(0) { $0 + $1.plan.clients }
    let each = try room.clients(beside: fetches * providers)
    let needed = (clients + each - 1) / each
    let processes = part?.processes ?? draft.processes ?? max(needed, draft.workers.addresses.count)
    guard processes >= needed else {
      throw UsageError(
        "--processes \(processes) is too few: the limit of descriptors lets a process have \(each) clients, so the "
          + "\(Figures.count(clients)) of all fleets need \(needed)")
    }
    for index in fleets.indices {
      fleets[index].plan.fetches = fetches
      fleets[index].plan.processes = processes
      // As with one fleet: an address has too few ports for many clients.
      if draft.sources == nil, clients > StormDraft.clientsOfAnAddress, fleets[index].plan.addresses == 0,
        StormDraft.areLoopback(fleets[index].gateways)
      {
        fleets[index].plan.sources = 1
      }
    }
    let addresses = fleets.reduce(0) { $0 + $1.plan.addresses }
    guard addresses <= StormPlan.addressesMax else {
      throw UsageError(
        "--sources: the fleets need \(Figures.count(addresses)) addresses, and a storm has at most "
          + "\(StormPlan.addressesMax); each fleet has its own")
    }
  }

  private mutating func split(seed: UInt64) throws {
    let plans = StormPlan.split(fleets.map { ($0.plan.fleet ?? FleetPlace(name: ""), $0.plan) }, seed: seed)
    for index in fleets.indices {
      fleets[index].plan = plans[index]
      fleets[index].otherPlans = plans.indices.filter { $0 != index }.map { plans[$0] }
    }
    plan = .whole(plans, seed: seed)
    do {
      _ = try scenario?.times(of: plans)
    } catch {
      throw UsageError("\(error)")
    }
  }

  /// Asks the control ports for the settings of the gateways that the fleets share.
  mutating func readSettingsOfFleets() async throws {
    var caveatsOfEach: [(name: String, sentences: [String])] = []
    for index in fleets.indices where !fleets[index].hasOwnGateway {
      let known = fleets[index].caveats.count
      try await fleets[index].readSettings()
      settings = settings ?? fleets[index].settings
      caveatsOfEach.append((name: fleets[index].fleetName, sentences: Array(fleets[index].caveats.dropFirst(known))))
    }
    caveats += FleetReport.joined(caveatsOfEach)
    if let settings {
      let sharing = fleets.filter { !$0.hasOwnGateway }
      caveats += Self.roomCaveats(
        sharing.reduce(0) { $0 + $1.plan.clients }, gateways: sharing.first?.gateways.count ?? 1, settings)
    }
    try split(seed: plan.seed)
  }

  /// The number of clients that ever come, in all fleets.
  var people: Int { fleets.isEmpty ? plan.people : fleets.reduce(0) { $0 + $1.plan.people } }

  /// Returns the parts of a report, by the outcome of each fleet; none for a storm of one.
  func fleetReports(_ result: StormResult) -> [FleetReport] {
    zip(fleets, result.fleets ?? []).map { fleet, part in
      FleetReport(
        fleet.plan.fleet ?? FleetPlace(name: part.name), plan: fleet.plan(after: part.result),
        gateway: fleet.gatewayText,
        provider: fleet.providerText
          + (fleets.count { $0.providerNumber == fleet.providerNumber } > 1 ? "; shared with other fleets" : ""),
        result: part.result)
    }
  }

  /// Returns the texts of all fleets, each once.
  func texts(_ text: (StormOptions) -> String) -> String {
    var texts: [String] = []
    for fleet in fleets {
      let own = text(fleet)
      if !texts.contains(where: { $0.utf8.elementsEqual(own.utf8) }) { texts.append(own) }
    }
    return texts.joined(separator: ", ")
  }
}
