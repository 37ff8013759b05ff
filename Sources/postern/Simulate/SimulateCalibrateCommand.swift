import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayPlanner
import GatewayProcess
import GatewayReport

/// The command `postern simulate calibrate`: it finds the provider of a scenario that behaves as a token endpoint did.
enum SimulateCalibrateCommand: Command {
  static let name = "simulate calibrate"
  static let summary = "find the provider that behaves as a token endpoint did in storms with --provider-only"
  static let operands = "REPORT..."
  static let example = "postern simulate calibrate reports/storm.json > provider.json"
  static let sections = [FlagSection("flags", options)]

  private struct Draft: Sendable {
    var printsJSON = false
    var world = SimulateDraft.World()
  }

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    Option("json", "print the provider and the comparison as JSON", \.printsJSON)
    SimulateFlags.threads.map { $0.of(\.world) }
  }

  private static let reportsMax = 16

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var draft = Draft()
    try arguments.read(options, into: &draft)
    let files = arguments.operands
    guard !files.isEmpty else { throw UsageError("\(name) needs the REPORT of a storm with --provider-only") }
    guard files.count <= reportsMax else { throw UsageError("\(name): at most \(reportsMax) reports") }
    let storms = try files.map { try evidence($0) }
    let gaps = zip(files, storms).compactMap { file, storm in
      storm.gap.map { "\(file): \(CalibrationText.sentence($0))" }
    }
    let outcome =
      if let gap = gaps.first {
        CalibrationText(files: files, unknown: gap)
      } else {
        try await search(storms, files, threads: draft.world.threadCount)
      }
    Output.line(draft.printsJSON ? try outcome.json : outcome.text)
    return outcome.isFound ? 0 : 1
  }

  private static func search(_ storms: [StormEvidence], _ files: [String], threads: Int) async throws -> CalibrationText
  {
    let clients = storms.map(\.plan.clients).max() ?? 0
    let needed = MachineWorld.bytes(clients: clients) * UInt64(threads)
    if let available = MemoryFigures.available, needed > available {
      throw UsageError(
        "--threads: \(threads) worlds at once take up to \(Figures.count(Int(clamping: needed))) bytes, and "
          + "\(Figures.count(Int(clamping: available))) are free")
    }
    let line = StatusLine()
    let search = CalibrationSearch(storms, threads: threads) { worlds in
      line.show { "calibrate: \(Figures.count(worlds)) worlds" }
    }
    let outcome = try await search.run()
    line.end()
    return CalibrationText(files: files, outcome: outcome)
  }

  /// Reads the report of a storm without a gateway.
  private static func evidence(_ path: String) throws -> StormEvidence {
    let (bytes, report) = try ReportFile.readWhole(path, of: "REPORT")
    guard !report.wasInterrupted else { throw UsageError("REPORT: the storm of '\(path)' was interrupted") }
    let storm: Storm
    do {
      storm = try JSONCoder(names: .snakeCase).decode(Storm.self, from: bytes)
    } catch {
      let place = (error as? DecodingError)?.place ?? "the top"
      throw UsageError("REPORT: '\(path)' has no valid \(place); storm again with this version")
    }
    guard storm.plan.dialect.utf8.elementsEqual("none".utf8) else {
      throw UsageError(
        "REPORT: '\(path)' is of a storm through a gateway; postern storm --provider-only storms the endpoint alone")
    }
    do {
      return try StormEvidence(storm.plan, storm.result.whole)
    } catch {
      throw UsageError("REPORT: the plan of '\(path)' is impossible: \(error)")
    }
  }

  private struct Storm: Decodable {
    let plan: StormPlan
    let result: Result
  }

  /// The part of a result that tells of the endpoint.
  private struct Result: Decodable {
    let provider: StormResult.Provider
    let tokens: StormResult.Tokens
    let latencies: Latencies
    let series: StormSeries
    let bins: StormBins
    let seconds: Double
    let stopped: String?
    let ranOutOfTime: Bool

    struct Latencies: Decodable {
      let granted: LatencyHistogram?
    }

    var whole: StormResult {
      var whole = StormResult()
      (whole.provider, whole.tokens, whole.series, whole.bins) = (provider, tokens, series, bins)
      whole.latencies.granted = latencies.granted
      (whole.seconds, whole.stopped, whole.ranOutOfTime) = (seconds, stopped, ranOutOfTime)
      return whole
    }
  }
}
