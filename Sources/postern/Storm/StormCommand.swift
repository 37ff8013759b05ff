import FoundationEssentials
import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayReport
import GatewayServer
import Glibc

/// A fleet of clients against a gateway.
enum StormCommand: Command {
  static let name = "storm"
  static let summary = "a fleet of clients whose tokens expire together, against any gateway; report and thresholds"
  static let example = """
    postern storm --url ws://127.0.0.1:8080 --clients 5000 --rate 1000 --report reports \\
        --threshold 'lost == 0' --threshold 'time_to_99 < 20s'
    """
  static let sections = StormFlags.sections
  static let variables = [StormPart.variable]
  static let neededFirst = [
    "url", "dialect", "clients", "rate", "behaviour", "jitter", "provider", "control-url", "threshold", "report",
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let part = try StormPart.read(ProcessInfo.processInfo.environment)
    var options = try StormOptions(arguments, part: part)
    try await options.readSettings()
    if let part { return try await runPart(options, part) }
    try ReportFiles.check(options.reportDirectory)
    let workers = try await options.connectWorkers()
    let faults = try await options.orderFaults()
    let line = ProgressLine(clients: options.plan.clients)
    let signals = SignalStream([SIGINT, SIGTERM])
    let result: StormResult
    let startsAt: WallTime
    let failures: [String]
    do {
      (result, startsAt, failures) =
        try await options.plan.processes == 1 && workers.isEmpty
        ? runHere(options, signals, line) : runInParts(options, workers, signals, line)
    } catch {
      await options.mend(faults)
      throw error
    }
    await options.mend(faults)
    line.clear()
    // Whoever waits for a reader of the report can be ended like any program.
    signals.end()
    let report = StormReport(
      plan: options.plan(after: result), gateway: options.gatewayText, provider: options.providerText,
      startedAt: startsAt,
      machine: .current, result: result, thresholds: options.thresholds,
      phaseThresholds: options.scenario?.thresholds ?? [], settings: options.settings,
      caveats: options.caveats, failures: failures)
    try tell(report, options)
    return report.passes ? 0 : 1
  }

  private static func runHere(
    _ options: StormOptions, _ signals: SignalStream, _ line: ProgressLine
  ) async throws -> (StormResult, WallTime, [String]) {
    let storm = try await LocalStorm.start(options, part: nil) { line.show($0) }
    let watch = Task { for await _ in signals { storm.interrupt() } }
    defer { watch.cancel() }
    let (result, failures) = try await conduct(options, startsAt: storm.startsAt) { await storm.run() }
    return (result, storm.startsAt, failures)
  }

  /// Runs the storm while its scenario is carried out. Returns also what of that was not done.
  private static func conduct(
    _ options: StormOptions, startsAt: WallTime, _ run: () async throws -> StormResult
  ) async throws -> (StormResult, [String]) {
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let conductor = ScenarioConductor(options).map { conductor in
      Task(executorPreference: loop.events) { await conductor.conduct(startsAt: startsAt, on: loop.events) }
    }
    do {
      let result = try await run()
      conductor?.cancel()
      return (result, await conductor?.value ?? [])
    } catch {
      conductor?.cancel()
      _ = await conductor?.value
      throw error
    }
  }

  private static func runInParts(
    _ options: StormOptions, _ workers: [WorkerLink], _ signals: SignalStream, _ line: ProgressLine
  ) async throws -> (StormResult, WallTime, [String]) {
    let startsAt = options.start(ready: SystemTime.now + StormParts.head)
    let parts = StormParts(count: options.plan.processes, workers: workers) { line.show($0) }
    let watch = Task { for await _ in signals { parts.interrupt() } }
    defer { watch.cancel() }
    let words = Array(CommandLine.arguments.dropFirst())
    let (result, failures) = try await conduct(options, startsAt: startsAt) {
      try await parts.run(words: words, startsAt: startsAt)
    }
    return (result, startsAt, failures)
  }

  /// Runs one part of a storm for its parent, and ends early when the parent says so or is gone.
  private static func runPart(_ options: StormOptions, _ part: StormPart) async throws -> Int32 {
    let storm = try await LocalStorm.start(options, part: part) { progress in
      if let line = try? StormMessage.progress(progress).line() { Output.line(line) }
    }
    let signals = SignalStream([SIGINT, SIGTERM])
    let watch = Task { for await _ in signals { storm.interrupt() } }
    defer { watch.cancel() }
    OwnThread.start {
      InputEnd.see()
      storm.interrupt()
    }
    Output.line(try StormMessage.result(await storm.run()).line())
    return 0
  }

  private static func tell(_ report: StormReport, _ options: StormOptions) throws {
    let json = try report.json()
    let recorded = try RecordedReport(json: json)
    if options.printsJSON {
      Output.line(String(decoding: json, as: UTF8.self))
    } else if options.outputs.printsSummary {
      Output.line(recorded.summary)
    } else {
      Output.line(report.table.joined(separator: "\n"))
    }
    try options.outputs.write(recorded)
    guard let directory = options.reportDirectory else { return }
    for path in try ReportFiles.write(report, to: directory) where !options.printsJSON && !options.outputs.printsSummary
    {
      Output.line("report: \(path)")
    }
  }
}
