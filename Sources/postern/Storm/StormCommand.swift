import Foundation
import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayReport

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
    var options = try StormOptions(arguments)
    try await options.readSettings()
    if let part = StormPart(environment: ProcessInfo.processInfo.environment) {
      return try await runPart(options, part)
    }
    try ReportFiles.check(options.reportDirectory)
    let line = ProgressLine(clients: options.plan.clients)
    let signals = SignalStream([SIGINT, SIGTERM])
    let (result, startsAt) =
      try await options.plan.processes == 1
      ? runHere(options, signals, line) : runInParts(options, signals, line)
    line.clear()
    // Whoever waits for a reader of the report can be ended like any program.
    signals.end()
    let report = StormReport(
      plan: options.plan, gateway: options.gatewayText, provider: options.providerText, startedAt: startsAt,
      machine: .current, result: result, thresholds: options.thresholds,
      settings: options.settings, caveats: options.caveats)
    try tell(report, options)
    return report.passes ? 0 : 1
  }

  private static func runHere(
    _ options: StormOptions, _ signals: SignalStream, _ line: ProgressLine
  ) async throws -> (StormResult, WallTime) {
    let storm = try await LocalStorm.start(options, part: nil) { line.show($0) }
    let watch = Task { for await _ in signals { storm.interrupt() } }
    defer { watch.cancel() }
    return (await storm.run(), storm.startsAt)
  }

  private static func runInParts(
    _ options: StormOptions, _ signals: SignalStream, _ line: ProgressLine
  ) async throws -> (StormResult, WallTime) {
    let startsAt = options.start(ready: SystemTime.now + StormParts.head)
    let parts = StormParts(count: options.plan.processes) { line.show($0) }
    let watch = Task { for await _ in signals { parts.interrupt() } }
    defer { watch.cancel() }
    let words = Array(CommandLine.arguments.dropFirst())
    return (try await parts.run(words: words, startsAt: startsAt), startsAt)
  }

  /// Runs one part of a storm for its parent, and ends early when the parent says so or is gone.
  private static func runPart(_ options: StormOptions, _ part: StormPart) async throws -> Int32 {
    let storm = try await LocalStorm.start(options, part: part) { progress in
      if let line = try? StormMessage.progress(progress).line() { Output.line(line) }
    }
    let signals = SignalStream([SIGINT, SIGTERM])
    let watch = Task { for await _ in signals { storm.interrupt() } }
    defer { watch.cancel() }
    Thread.detachNewThread {
      while !FileHandle.standardInput.availableData.isEmpty {}
      storm.interrupt()
    }
    Output.line(try StormMessage.result(await storm.run()).line())
    return 0
  }

  private static func tell(_ report: StormReport, _ options: StormOptions) throws {
    if options.printsJSON {
      Output.line(String(decoding: try report.json(), as: UTF8.self))
    } else {
      Output.line(report.table.joined(separator: "\n"))
    }
    guard let directory = options.reportDirectory else { return }
    for path in try ReportFiles.write(report, to: directory) where !options.printsJSON {
      Output.line("report: \(path)")
    }
  }
}
