internal import GatewayCore
internal import GatewayFleet

/// The loop that keeps a fleet down after a disturbance has ended.
package enum Sustained: Hashable, Sendable {
  /// Nothing does: it recovers by itself, later than it may.
  case slow(after: Double)
  /// One loop keeps it down: without that loop the fleet recovers.
  case by(LoopCut)
  /// The cut of one loop alone does not help.
  case byMoreThanOne
}

/// The search for the loop that keeps a fleet down.
struct SustainingSearch: Sendable {
  /// The world that does not recover, and how long it may take.
  let world: WorldSettings
  let within: Duration
  let threads: Int
  let done: @Sendable () -> Void

  /// How much longer a fleet is watched to tell slow from down.
  private static let patience = 5

  /// The maximum number of worlds for that many seeds.
  static func worlds(seeds: Int) -> Int { seeds * (1 + LoopCut.allCases.count) }

  /// Returns what keeps the fleet down with most of the seeds, and the number of worlds that were run.
  ///
  /// - Parameter seeds: Seeds with which it stays down.
  func run(_ seeds: [UInt64]) async throws -> (Sustained, worlds: Int) {
    var long = world
    let end = world.triggerEnd + within.scaled(by: Double(Self.patience)) + WorldSettings.calm
    long.duration = min(max(end, world.duration ?? .zero), WorldSettings.longest)
    let outcomes = try await outcomes(long, seeds)
    let times: [Double] = outcomes.compactMap { if case .recovered(let after) = $0 { after } else { nil } }.sorted()
    if 2 * times.count > seeds.count { return (.slow(after: times[times.count / 2]), seeds.count) }
    var worlds = seeds.count
    for loop in LoopCut.allCases {
      let cured = try await self.outcomes(world.cutting(loop, within: within), seeds)
      worlds += seeds.count
      if 2 * cured.count(where: { $0 != .staysDown }) > seeds.count { return (.by(loop), worlds) }
    }
    return (.byMoreThanOne, worlds)
  }

  private func outcomes(_ settings: WorldSettings, _ seeds: [UInt64]) async throws -> [StormResult.Recovery] {
    try await Worlds.run(seeds, threads: threads) { [done] seed in
      var seeded = settings
      seeded.plan.seed = seed
      var machines = try MachineWorld(seeded)
      defer { done() }
      return machines.run().result.recovery(within: .infinity)
    }
  }
}
