import GatewayKit
import GatewayReport

/// The command `postern report show`: it prints a stored report, or converts it.
enum ReportShowCommand: Command {
  static let name = "report show"
  static let summary = "show the report of an earlier storm, or write it as JUnit's XML or CSV"
  static let operands = "FILE"
  static let example = "postern report show reports/storm.json --summary"
  static let sections = [FlagSection("flags", ReportOutputs.options)]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var outputs = ReportOutputs()
    try arguments.read(ReportOutputs.options, into: &outputs)
    guard let path = try arguments.operand() else { throw UsageError("\(name) needs the FILE of a report") }
    let report = try ReportFile.read(path)
    Output.line(outputs.printsSummary ? report.summary : report.table.joined(separator: "\n"))
    try outputs.write(report)
    return 0
  }
}
