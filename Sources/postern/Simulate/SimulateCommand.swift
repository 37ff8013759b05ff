import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayProcess
import GatewayReport
import Glibc

/// The command `postern simulate`: a storm in virtual time, from a scenario file.
enum SimulateCommand: Command {
  static let name = "simulate"
  static let summary = "run the storm of a scenario in virtual time: millions of clients in minutes, no gateway needed"
  static let operands = "FILE"
  static let example = "postern simulate scenario.json --clients 1000000 --report reports"
  static let sections = [
    FlagSection("the world", SimulateFlags.world), FlagSection("output", SimulateFlags.outcome),
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let options = try SimulateOptions(arguments)
    try ReportFiles.check(options.reportDirectory)
    try options.checkMemory()
    let signals = SignalStream([SIGINT, SIGTERM])
    let run = SimulateRun(options, signals)
    let results = try await run.run()
    signals.end()
    let reports = results.map { options.report($0) }
    try tell(reports, options)
    return reports.allSatisfy(\.passes) ? 0 : 1
  }

  private static func tell(_ reports: [StormReport], _ options: SimulateOptions) throws {
    guard let report = reports.first else { return }
    let json = try report.json()
    let recorded = try RecordedReport(json: json)
    if options.printsJSON {
      Output.line(String(decoding: json, as: UTF8.self))
    } else if options.outputs.printsSummary {
      Output.line(recorded.summary)
    } else {
      Output.line(report.table.joined(separator: "\n"))
      if reports.count > 1 { Output.line("\n" + SeedTable(reports).text) }
    }
    for report in reports.dropFirst() where !report.passes && (options.printsJSON || options.outputs.printsSummary) {
      let failing = report.thresholds.filter { !$0.holds }.map(\.threshold).joined(separator: ", ")
      Output.error("simulate: with the seed \(report.plan.seed) it fails, which the report is not of: \(failing)")
    }
    let tellsFiles = !options.printsJSON && !options.outputs.printsSummary
    try ReportFailure.each(
      { try options.outputs.write(recorded) }, { try options.page?.write(report.html) },
      {
        guard let directory = options.reportDirectory else { return }
        try ReportFiles.write(report, to: directory) { if tellsFiles { Output.line("report: \($0)") } }
      })
  }
}
