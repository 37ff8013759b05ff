internal import GatewayCore
package import GatewayFleet

/// The search for the least push of each kind after which a fleet at rest does not recover.
package struct TriggerSearch: Sendable {
  /// A size that was tried, and the outcome for the fleet with each seed.
  package struct Probe: Sendable {
    package let size: Double
    package fileprivate(set) var outcomes: [StormResult.Recovery]

    /// The times after which the fleet recovered, in order.
    package var recoveries: [Double] {
      outcomes.compactMap { if case .recovered(let after) = $0 { after } else { nil } }.sorted()
    }

    package var allRecover: Bool { recoveries.count == outcomes.count }

    package func count(_ outcome: StormResult.Recovery) -> Int { outcomes.count { $0 == outcome } }
  }

  /// The answer for one kind of push.
  package struct Row: Sendable {
    package let kind: Disturbance.Kind
    /// The largest size up to which the fleet recovers, and the least that tips it; nil if there is none.
    package fileprivate(set) var recovers: Probe?
    package fileprivate(set) var tips: Probe?
    /// The loop that keeps the fleet down after the least push that tips it; nil if none does.
    package fileprivate(set) var sustained: Sustained?
    /// The size by calculation, if there is one.
    package fileprivate(set) var form: Double?

    /// Whether some seeds tip the fleet and others do not, on either side of the edge.
    package var isChance: Bool {
      recovers.map { !$0.allRecover } ?? false || !(tips?.recoveries.isEmpty ?? true)
    }
  }

  /// The answer for all kinds.
  package struct Answer: Sendable {
    /// The fleet at rest, which nothing disturbs.
    package let rest: Probe
    /// One row for each kind; none if the fleet is not calm at rest.
    package fileprivate(set) var rows: [Row] = []
    package fileprivate(set) var worlds = 0

    package var verdict: Verdict {
      guard rest.allRecover else { return .overloaded }
      return rows.contains { $0.tips != nil } ? .vulnerable : .stable
    }
  }

  package let settings: WorldSettings
  private let threads: Int
  private let within: Duration
  private let done: @Sendable () -> Void

  /// The seeds of each size, and the further ones at the edge.
  private static let seeds: Range<UInt64> = 0..<3
  private static let seedsAgain: Range<UInt64> = 3..<10
  /// The number of parts of a range, and the ratio of the two sides of the edge at the end.
  private static let parts = 4
  private static let accuracy = 1.02
  /// The maximum number of worlds of a search: at each kind's edge, at most five sizes and then nine halvings.
  package static let worldsMax =
    seeds.count + Disturbance.Kind.pushes.count
    * (14 * seeds.count + 2 * seedsAgain.count + SustainingSearch.worlds(seeds: seeds.count))

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - settings: The fleet.
  ///   - within: How long it may take to recover.
  ///   - scale: The maximum number of clients of a world.
  ///   - threads: The number of worlds that run at once.
  ///   - done: Called after each world, from any thread.
  package init(
    _ settings: WorldSettings, within: Duration, scale: Int, threads: Int,
    done: @escaping @Sendable () -> Void = {}
  ) {
    self.settings =
      settings.plan.clients > scale ? settings.scaled(toClients: scale, withProvider: true) : settings
    self.within = within
    self.threads = threads
    self.done = done
  }

  package func run() async throws -> Answer { try await run(from: rest()) }

  /// Returns the outcome for the fleet without a disturbance.
  func rest() async throws -> Answer {
    var answer = Answer(rest: try await probe(nil, Self.seeds))
    answer.worlds = Self.seeds.count
    return answer
  }

  /// Returns the answer with the pushes, for a fleet that is known without them.
  func run(from rest: Answer) async throws -> Answer {
    var answer = rest
    guard answer.rest.allRecover else { return answer }
    for kind in Disturbance.Kind.pushes {
      let (row, worlds) = try await row(kind)
      answer.rows.append(row)
      answer.worlds += worlds
    }
    return answer
  }

  private func row(_ kind: Disturbance.Kind) async throws -> (Row, worlds: Int) {
    let bounds = kind.bounds(settings)
    var row = Row(kind: kind)
    if kind == .outage { row.form = OutageForm(settings)?.least }
    var worlds = 0
    func attempt(_ size: Double) async throws {
      let probe = try await probe(Disturbance(kind, at: settings.pushAt, size: size), Self.seeds)
      worlds += Self.seeds.count
      if probe.allRecover { row.recovers = probe } else { row.tips = probe }
    }
    // From small to large, so that the first edge is found even if a larger push does less harm.
    var part = 0
    while part <= Self.parts, row.tips == nil {
      try await attempt(bounds.size(part, of: Self.parts))
      part += 1
    }
    while let good = row.recovers?.size, let bad = row.tips?.size, max(good / bad, bad / good) > Self.accuracy {
      try await attempt((good * bad).squareRoot())
    }
    if let tips = row.tips, let seeds = failing(tips) {
      let push = Disturbance(kind, at: settings.pushAt, size: tips.size)
      let search = SustainingSearch(
        world: settings.atRest(push, andAfter: within + WorldSettings.calm), within: within, threads: threads,
        done: done)
      let (sustained, cut) = try await search.run(seeds)
      row.sustained = sustained
      worlds += cut
    }
    for side in [\Row.recovers, \Row.tips] {
      guard let size = row[keyPath: side]?.size else { continue }
      let more = try await probe(Disturbance(kind, at: settings.pushAt, size: size), Self.seedsAgain)
      worlds += Self.seedsAgain.count
      row[keyPath: side]?.outcomes += more.outcomes
    }
    return (row, worlds)
  }

  /// The seeds of a probe with which the fleet stays down; nil if there are none.
  private func failing(_ probe: Probe) -> [UInt64]? {
    let seeds = probe.outcomes.indices.filter { probe.outcomes[$0] == .staysDown }
    return seeds.isEmpty ? nil : seeds.map { settings.plan.seed &+ UInt64($0) }
  }

  /// Returns the outcome for the fleet after a disturbance, with each of the seeds.
  func probe(_ disturbance: Disturbance?, _ seeds: Range<UInt64>) async throws -> Probe {
    let world = settings.atRest(disturbance, andAfter: within + WorldSettings.calm)
    let limit = within.inSeconds
    let outcomes = try await Worlds.run(Array(seeds), threads: threads) { [done] seed in
      var seeded = world
      seeded.plan.seed = world.plan.seed &+ seed
      var machines = try MachineWorld(seeded)
      defer { done() }
      return machines.run().result.recovery(within: limit)
    }
    return Probe(size: disturbance?.size ?? 0, outcomes: outcomes)
  }
}

/// The sizes between the least severe push and the most severe.
struct PushBounds: Hashable, Sendable {
  let least: Double
  let most: Double

  /// Returns the size after that many of so many equal steps of ratio.
  func size(_ part: Int, of parts: Int) -> Double {
    guard part > 0 else { return least }
    guard part < parts else { return most }
    var size = least
    // Parts are four, so square roots suffice.
    let step = (most / least).squareRoot().squareRoot()
    for _ in 0..<part { size *= step }
    return size
  }
}

extension Disturbance.Kind {
  func bounds(_ settings: WorldSettings) -> PushBounds {
    switch self {
    case .outage: PushBounds(least: 1, most: max(2, min(600, settings.plan.life.inSeconds)))
    case .herd, .restart, .lost: PushBounds(least: 0.01, most: 1)
    case .slow: PushBounds(least: 0.98, most: 0.02)
    case .backlog: PushBounds(least: 0.01, most: 1)
    }
  }
}
