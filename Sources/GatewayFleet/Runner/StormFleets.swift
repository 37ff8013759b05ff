package import GatewayRuntime

/// One process's part of a storm of one fleet or of several. Each fleet has a ``StormRunner``, and all have the same loops and,
/// for each token provider, one queue.
package final class StormFleets: Sendable {
  private let runners: [StormRunner]
  private let places: [FleetPlace]
  private let loop: EventLoop
  private let processors: Int?

  /// Creates the fleets of one process.
  ///
  /// - Parameters:
  ///   - setups: A setup for each fleet, with the same start; at least one. Several have places in their plans.
  ///   - loops: Running loops, as many as the plans have.
  ///   - report: Called with the progress of all together, on the first loop.
  ///   - snapshots: Called once a second with the counts so far, on the first loop; nil for none.
  ///   - ownFigures: Returns the system's figures for this process, if it is measured.
  package init(
    _ setups: [StormSetup], loops: [(loop: EventLoop, dialer: any Dialer)],
    report: @escaping @Sendable (StormProgress) -> Void = { _ in },
    snapshots: (@Sendable ([StormResult]) -> Void)? = nil,
    ownFigures: @escaping @Sendable () -> ProcessProbe.Sample? = { nil }
  ) {
    precondition(!setups.isEmpty && !loops.isEmpty, "a storm has a fleet and a loop")
    places = setups.count > 1 ? setups.map { $0.plan.fleet ?? FleetPlace(name: "") } : setups.compactMap(\.plan.fleet)
    loop = loops[0].loop
    processors = setups[0].processors
    guard setups.count > 1 else {
      runners = [StormRunner(setups[0], loops: loops, report: report, snapshots: snapshots, ownFigures: ownFigures)]
      return
    }
    let gate = FleetGate(places, releases: !setups[0].waitsForOthers, report: report, snapshots: snapshots)
    let queues = FetchQueues(loops: loops.count)
    let longest = setups.map { $0.end(timeout: nil) }.max()
    // The gateway's metrics and this process's figures are read by the fleet that is asked first.
    let reader = setups.indices.min { setups[$0].plan.onset < setups[$1].plan.onset } ?? 0
    var runners: [StormRunner] = []
    for (index, given) in setups.enumerated() {
      var setup = given
      setup.waitsForOthers = true
      setup.longest = longest
      setup.queues = queues
      if index != reader { setup.controls = [] }
      var noteCounts: (@Sendable ([StormResult]) -> Void)?
      if snapshots != nil { noteCounts = { gate.note($0, of: index) } }
      runners.append(
        StormRunner(
          setup, loops: loops, report: { gate.note($0, of: index) }, snapshots: noteCounts,
          ownFigures: { index == reader ? ownFigures() : nil }))
    }
    self.runners = runners
    gate.release = { [runners] in
      for runner in runners { runner.interrupt() }
    }
  }

  /// Ends the storm early, or releases a part that waits for the others. The storm still returns its result. From any
  /// thread.
  package func interrupt() {
    for runner in runners { runner.interrupt() }
  }

  /// Runs the storm, once. The result of a storm with named fleets has a part for each.
  package func run() async -> StormResult {
    guard !places.isEmpty else { return await runners[0].run() }
    let tasks = runners.map { runner in Task(executorPreference: loop) { await runner.run() } }
    var results: [StormResult] = []
    for task in tasks { results.append(await task.value) }
    var parts: [FleetResult] = []
    var probes: [ProcessProbe.Moment: ProcessProbe.Sample] = [:]
    var generator = probes
    for (place, result) in zip(places, results) {
      var own = result
      // The gateway and this process serve all fleets.
      probes.merge(own.probes) { first, _ in first }
      generator.merge(own.generator) { first, _ in first }
      own.probes = [:]
      own.generator = [:]
      parts.append(FleetResult(place, own))
    }
    var whole = StormResult.whole(parts)
    whole.probes = probes
    whole.generator = generator
    if let processors { whole.lateness?.processors = processors }
    return whole
  }
}
