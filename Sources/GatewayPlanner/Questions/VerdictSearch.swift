internal import GatewayCore
package import GatewayFleet

/// The search for what a fleet is. Each seed runs without a disturbance, as the file has it, and, if it stays down, with
/// one loop after the other cut.
package struct VerdictSearch: Sendable {
  /// The outcome of the fleet after the file's own disturbance.
  package struct Own: Sendable {
    package let outcomes: [StormResult.Recovery]

    /// The times after which the fleet recovered, in order.
    package var recoveries: [Double] {
      outcomes.compactMap { if case .recovered(let after) = $0 { after } else { nil } }.sorted()
    }

    /// The seeds with which it did not recover in time.
    package var never: SeedShare { SeedShare(outcomes.count { $0 == .staysDown }, of: outcomes.count) }

    package var losing: Int { outcomes.count { $0 == .losesClients } }

    /// Returns the time within which that share of the recoveries was; nil if there were none.
    package func percentile(_ share: Double) -> Double? {
      let times = recoveries
      guard !times.isEmpty else { return nil }
      return times[min(times.count - 1, max(0, Int((share * Double(times.count)).rounded(.up)) - 1))]
    }
  }

  /// The answer.
  package struct Answer: Sendable {
    package fileprivate(set) var verdict = Verdict.overloaded
    /// The fleet that nothing disturbs.
    package fileprivate(set) var rest: TriggerSearch.Answer?
    /// The file's own disturbance; nil if it has none, or if the fleet is overloaded.
    package fileprivate(set) var own: Own?
    /// The loop that keeps the fleet down, if it stays down after its own disturbance.
    package fileprivate(set) var sustained: Sustained?
    package fileprivate(set) var worlds = 0
  }

  private let settings: WorldSettings
  private let within: Duration
  private let seeds: Int
  private let threads: Int
  private let triggers: TriggerSearch
  private let done: @Sendable () -> Void

  /// The seeds that look for what keeps the fleet down.
  private static let seedsOfCuts = 3

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - settings: The fleet.
  ///   - within: How long it may take to recover.
  ///   - seeds: The number of seeds.
  ///   - scale: The maximum number of clients of a world.
  ///   - threads: The number of worlds that run at once.
  ///   - done: Called after each world, from any thread.
  package init(
    _ settings: WorldSettings, within: Duration, seeds: Int, scale: Int, threads: Int,
    done: @escaping @Sendable () -> Void = {}
  ) {
    triggers = TriggerSearch(settings, within: within, scale: scale, threads: threads, done: done)
    self.settings = triggers.settings
    self.within = within
    self.seeds = seeds
    self.threads = threads
    self.done = done
  }

  /// The maximum number of worlds of a search with that many seeds.
  package static func worldsMax(seeds: Int) -> Int {
    seeds + SustainingSearch.worlds(seeds: seedsOfCuts) + TriggerSearch.worldsMax
  }

  package func run() async throws -> Answer {
    var answer = Answer()
    let calm = try await triggers.rest()
    answer.rest = calm
    answer.worlds = calm.worlds
    guard calm.rest.allRecover else { return answer }
    if settings.disturbsItself {
      let own = try await own()
      answer.own = own
      answer.worlds += own.outcomes.count
      if own.never.count > 0 {
        let failing = own.outcomes.indices.filter { own.outcomes[$0] == .staysDown }.prefix(Self.seedsOfCuts)
        let search = SustainingSearch(
          world: settings.asWritten(andAfter: within), within: within, threads: threads, done: done)
        let (sustained, worlds) = try await search.run(failing.map { settings.plan.seed &+ UInt64($0) })
        answer.sustained = sustained
        answer.worlds += worlds
        if case .slow = sustained { answer.verdict = .vulnerable } else { answer.verdict = .metastable }
        return answer
      }
    }
    let pushed = try await triggers.run(from: calm)
    answer.rest = pushed
    answer.worlds += pushed.worlds - calm.worlds
    answer.verdict = answer.own.map { $0.losing > 0 } == true ? .vulnerable : pushed.verdict
    return answer
  }

  private func own() async throws -> Own {
    let world = settings.asWritten(andAfter: within)
    let limit = within.inSeconds
    let outcomes = try await Worlds.run(Array(0..<UInt64(seeds)), threads: threads) { [done] seed in
      var seeded = world
      seeded.plan.seed = world.plan.seed &+ seed
      var machines = try MachineWorld(seeded)
      defer { done() }
      return machines.run().result.recovery(within: limit)
    }
    return Own(outcomes: outcomes)
  }
}
