import GatewayKit
import GatewayProcess
import GatewayServer
import Glibc

/// The command `postern ctl conform`: it runs a client against each behaviour of a gateway and reports the verdicts.
enum ConformCommand {
  static let word = "conform"

  static var page: CommandPage {
    CommandPage(
      name: "\(ControlCommand.name) \(word)",
      summary:
        "start a client for each behaviour of a gateway, and print which it handles; exit status 1 if it fails one",
      operands: "", example: "postern \(ControlCommand.name) \(word) --run 'python3 client.py'",
      sections: [FlagSection("flags", ConformOptions.options), ControlConnection.portSection])
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard arguments.operands.count == 1 else { throw UsageError("\(page.name) takes flags only") }
    try ControlCommand.refuseOthers(arguments, than: page)
    let draft = try ConformOptions.Draft(arguments)
    if draft.lists {
      for behaviour in try ConformOptions.behaviours(draft.only) {
        Output.line("\(behaviour.name) (\(behaviour.covers.joined(separator: ", "))): \(behaviour.sentence)")
      }
      if draft.only.isEmpty { Output.line("\n\(NotTried.text)") }
      return 0
    }
    let options = try ConformOptions(draft, control: try ControlConnection(arguments).client())
    if let upstream = options.upstream, !upstream.isLocal {
      Output.error(
        "\(options.behaviours.count) behaviours, each with one login or more at \(upstream.url), \(options.jobs) at a time"
      )
    }
    let stop = ConformStop()
    let results: [ConformResult]
    do {
      results = try await self.results(options, stop)
    } catch let end as ConformEnd {
      Output.error(end.sentence)
      return 1
    }
    Output.line(ConformReport(results: results).text)
    try write(results, options)
    guard results.count == options.behaviours.count else {
      Output.error("stopped: \(options.behaviours.count - results.count) behaviours have not been tried")
      return 1
    }
    // A run that was cut short has not passed.
    return stop.isOrdered || results.contains { $0.verdict == .failed } ? 1 : 0
  }

  private static func results(_ options: ConformOptions, _ stop: ConformStop) async throws -> [ConformResult] {
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    // A client in its own group receives no signals of the terminal, so it is ended here.
    let signals = SignalStream([SIGINT, SIGTERM])
    let listener = Task { for await _ in signals { stop.order() } }
    defer {
      listener.cancel()
      signals.end()
    }
    let run = ConformRun(options: options, loop: loop, stop: stop)
    return try await Task(executorPreference: loop.events) { try await run.results() }.value
  }

  private static func write(_ results: [ConformResult], _ options: ConformOptions) throws {
    try options.junit?.write(JUnitReport(dialect: options.wire.name, results: results).text)
    guard let folder = options.journals else { return }
    for result in results where result.verdict == .failed && !result.journal.isEmpty {
      try FilePath(folder).appending("\(result.behaviour.name).jsonl").write(result.journal)
    }
  }
}
