import GatewayCore
import GatewayFleet
import GatewayRuntime
import GatewayServer

/// The part of a storm that runs in this process: the whole storm if `--processes` is 1.
struct LocalStorm {
  private let loops: [SocketLoop]
  private let fleets: StormFleets
  private let traces: StormTraces?

  /// Starts the loops. The first client connects at the time of `part`, or in a moment.
  ///
  /// - Parameters:
  ///   - options: The storm's options.
  ///   - part: This process's part; nil for the whole storm.
  ///   - report: Called with the progress.
  ///   - snapshots: Called once a second with the counts so far; nil for none.
  static func start(
    _ options: StormOptions, part: StormPart?, report: @escaping @Sendable (StormProgress) -> Void,
    snapshots: (@Sendable ([StormResult]) -> Void)? = nil
  ) async throws -> LocalStorm {
    var limits = ServerLimits()
    let each = options.fleets.isEmpty ? [options] : options.fleets
    limits.handshakeTimeout = each.map(\.plan.connectTimeout).max() ?? options.plan.connectTimeout
    let loops = (0..<options.plan.loops).map {
      SocketLoop(index: $0, limits: limits, seed: options.plan.seed &+ UInt64($0))
    }
    for loop in loops { try loop.start() }
    if let error = part?.clockError, error != 0 {
      // All parts use the clock of the machine that started the storm.
      for loop in loops { await loop.perform { loop.events.wallError = { .nanoseconds(-error) } } }
    }
    let now = await loops[0].perform { loops[0].events.wallTime }
    let ready = now + .milliseconds(200)
    let startsAt =
      part.map { WallTime(nanoseconds: $0.startsAt) } ?? each.map { $0.start(ready: ready) }.max() ?? ready
    let traces = await StormTraces.begin(options.telemetry, on: loops)
    let setups = each.map { options in
      var setup = options.setup(startsAt: startsAt, process: part?.process ?? 0)
      setup.waitsForOthers = part != nil
      setup.traces = traces?.loops ?? []
      setup.processors = min(options.plan.loops, ProcessEnvironment.cores)
      return setup
    }
    let fleets = StormFleets(
      setups, loops: loops.map { (loop: $0.events, dialer: dialer(on: $0, options)) },
      report: report, snapshots: snapshots,
      ownFigures: {
        let figures = ProcessFigures()
        return ProcessProbe.Sample(
          cpuSeconds: figures.cpuSeconds, residentBytes: Double(figures.residentBytes), startedAt: figures.startedAt)
      })
    return LocalStorm(loops: loops, fleets: fleets, traces: traces, startsAt: startsAt)
  }

  let startsAt: WallTime

  private static func dialer(on loop: SocketLoop, _ options: StormOptions) -> any Dialer {
    let sockets = SocketDialer(on: loop)
    let network: any Dialer = options.mark.map { MarkedDialer(sockets, $0) } ?? sockets
    return options.isProviderOnly ? AloneDialer(on: loop.events, network: network) : network
  }

  private init(loops: [SocketLoop], fleets: StormFleets, traces: StormTraces?, startsAt: WallTime) {
    self.loops = loops
    self.traces = traces
    self.fleets = fleets
    self.startsAt = startsAt
  }

  /// Runs the part to its end.
  func run() async -> StormResult {
    let fleets = fleets
    let result = await Task(executorPreference: loops[0].events) { await fleets.run() }.value
    await traces?.finish()
    for loop in loops { loop.stop() }
    return result
  }

  /// Ends the part early, or releases one that is through.
  func interrupt() {
    fleets.interrupt()
  }
}
