import GatewayCore
import GatewayKit
import GatewayServer

/// The command `postern ctl replay`: it replays a journal in a new space and prints the differences.
enum ReplayCommand {
  static let word = "replay"

  private static let options: [Option<[Arguments.Value]>] = [
    Option("set", "OPTION=VALUE", "an option of postern serve that the recorded gateway had", each: \.self)
  ]

  static var page: CommandPage {
    CommandPage(
      name: "\(ControlCommand.name) \(word)",
      summary: "replay an exported journal, and print the differences; exit status 1 if there are any",
      operands: "FILE", example: "postern \(ControlCommand.name) \(word) journal.jsonl --set refresh-timeout=90s",
      sections: [FlagSection("flags", options), ControlConnection.portSection])
  }

  private static let sizeMax = 256 << 20

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard arguments.operands.count == 2 else { throw UsageError("\(page.name) needs a FILE of the journal's export") }
    try ControlCommand.refuseOthers(arguments, than: page)
    let recorded = try lines(arguments.operands[1])
    let script = ReplayScript(recorded)
    let replayed: [ReplayLine]
    do {
      replayed = try await self.replayed(script, arguments)
    } catch let stopped as ReplayRun.Stopped {
      Output.error(stopped.sentence)
      return 1
    }
    let comparison = ReplayComparison(recorded: recorded, replayed: replayed)
    let lacking = script.lacking.map { "line \($0.line.n), \($0.line.text): not played, \($0.reason)" }
    for sentence in lacking + comparison.differences { Output.line(sentence) }
    if let requests = ReplayComparison.requests(recorded) { Output.line(requests) }
    Output.line(
      "\(script.steps.count) steps over \(script.end.inSeconds) s played: \(comparison.alike) lines alike, "
        + "\(comparison.differences.count) connections different")
    return comparison.differences.isEmpty && lacking.isEmpty ? 0 : 1
  }

  private static func lines(_ file: String) throws -> [ReplayLine] {
    let bytes = try InputFile.readLocal(file, of: "FILE", sizeMax: sizeMax)
    let lines: [ReplayLine]
    do throws(ReplayLine.Malformed) {
      lines = try ReplayLine.read(bytes)
    } catch {
      throw UsageError(
        "FILE: line \(error.number) of '\(file)' is no line of a journal; export one with GET /journal/export")
    }
    guard lines.first?.n == 1 || ReplayLine.isRecording(bytes) && !lines.isEmpty else {
      throw UsageError("FILE: '\(file)' does not begin with the first line of a journal: what was before is missing")
    }
    return lines
  }

  private static func replayed(_ script: ReplayScript, _ arguments: Arguments) async throws -> [ReplayLine] {
    var given: [Arguments.Value] = []
    try arguments.read(options, into: &given)
    let settings = try ControlAction.settings(given)
    let control = try ControlConnection(arguments).client()
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let run = ReplayRun(control: control, loop: loop, settings: settings)
    return try await Task(executorPreference: loop.events) { try await run.lines(of: script) }.value
  }
}
