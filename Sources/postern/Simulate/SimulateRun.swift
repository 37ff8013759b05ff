import GatewayFleet
import GatewayPlanner
import GatewayProcess
import Synchronization

/// The worlds of one command, each with its seed. Several run at once, and share nothing.
final class SimulateRun: Sendable {
  private let options: SimulateOptions
  private let signals: SignalStream
  private let isInterrupted = Atomic<Bool>(false)

  init(_ options: SimulateOptions, _ signals: SignalStream) {
    self.options = options
    self.signals = signals
  }

  /// Runs all worlds. Returns their results in the order of the seeds.
  func run() async throws -> [(seed: UInt64, result: StormResult)] {
    let watch = Task { for await _ in signals { isInterrupted.store(true, ordering: .relaxed) } }
    defer { watch.cancel() }
    let first = options.scenario.settings.plan.seed
    let seeds = (0..<options.seeds).map { first &+ UInt64($0) }
    let line = options.seeds == 1 ? SimulateProgress() : nil
    let results = try await Worlds.run(seeds, threads: options.threads) { [self] seed in
      (seed: seed, result: try world(seed, line))
    }
    return results
  }

  private func world(_ seed: UInt64, _ line: SimulateProgress?) throws -> StormResult {
    if options.scenario.fidelity == .wire {
      let result = try WireWorld(fleets: options.wires(seed: seed)).run { [self] progress, waiting in
        line?.show(progress, waiting: waiting)
        return !isInterrupted.load(ordering: .relaxed)
      }
      line?.end(nil)
      return result
    }
    var world = try MachineWorld(fleets: options.worlds(seed: seed)) { progress in
      line?.show(progress)
      return !self.isInterrupted.load(ordering: .relaxed)
    }
    let outcome = world.run()
    line?.end(outcome.events)
    return outcome.result
  }
}
