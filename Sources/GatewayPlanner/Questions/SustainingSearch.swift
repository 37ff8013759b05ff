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
  static func worlds(seeds: Int) -> Int { seeds * (1 + 2 * LoopCut.allCases.count) }

  /// Returns what keeps the fleet down with most of the seeds, and the number of worlds that were run.
  ///
  /// - Parameter seeds: Seeds with which it stays down.
  func run(_ seeds: [UInt64]) async throws -> (Sustained, worlds: Int) {
    var long = world
    let end = world.triggerEnd + within.scaled(by: Double(Self.patience)) + WorldSettings.calm
    long.duration = min(max(end, world.duration ?? .zero), WorldSettings.longest)
    let outcomes = try await outcomes(long, seeds)
    let times: [Double] = outcomes.compactMap {
      if case .recovered(let after) = $0.result.recovery(within: .infinity) { after } else { nil }
    }
    .sorted()
    if 2 * times.count > seeds.count { return (.slow(after: times[times.count / 2]), seeds.count) }
    var worlds = seeds.count
    // A cut that the fleet recovers from in time comes before one after which it only recovers some time.
    for isPatient in [false, true] {
      for loop in LoopCut.allCases {
        let limit = isPatient ? .infinity : world.limit(ofCutting: loop, within: within).inSeconds
        let cut = try await self.outcomes(world.cutting(loop, within: within, isPatient: isPatient), seeds)
        worlds += seeds.count
        if 2 * cut.count(where: { isCured($0, within: limit) }) > seeds.count { return (.by(loop), worlds) }
      }
    }
    return (.byMoreThanOne, worlds)
  }

  /// Returns whether the fleet recovers with its loop cut. Clients that were lost for good before do not come back; one
  /// that loses clients after the cut has not recovered, although its provider is calm once they have given up.
  private func isCured(_ outcome: MachineWorld.Outcome, within limit: Double) -> Bool {
    let result = outcome.result
    switch result.recovery(within: limit) {
    case .recovered: return true
    case .staysDown: return false
    case .losesClients:
      let connected = result.series.connected(seconds: Int(result.seconds)).last ?? 0
      return Double(connected) >= 0.999 * Double(world.plan.clients - outcome.lostBeforeCut)
    }
  }

  private func outcomes(_ settings: WorldSettings, _ seeds: [UInt64]) async throws -> [MachineWorld.Outcome] {
    try await Worlds.run(seeds, threads: threads) { [done] seed in
      var seeded = settings
      seeded.plan.seed = seed
      var machines = try MachineWorld(seeded)
      defer { done() }
      return machines.run()
    }
  }
}
