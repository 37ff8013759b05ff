import GatewayControl
import GatewayCore
import GatewayDrafts
import GatewayJSON
import GatewayKit
import GatewayServer

/// The command `postern ctl replay`: it replays a journal in a new space and prints the differences.
enum ReplayCommand {
  static let word = "replay"

  private struct Draft {
    var settings: [Arguments.Value] = []
    var isInRealTime = false
  }

  private static let options: [Option<Draft>] = [
    Option("set", "OPTION=VALUE", "an option of postern serve that the recorded gateway had", each: \.settings),
    Option(
      "real-time",
      "play a proxy's recording or a HAR file at the recorded times, instead of moving the space's clock there",
      \.isInRealTime),
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
    var draft = Draft()
    try arguments.read(options, into: &draft)
    let bytes = try InputFile.readLocal(arguments.operands[1], of: "FILE", sizeMax: sizeMax)
    if let traffic = try? Recording(reading: bytes), TrafficStep.areIn(traffic) {
      return try await played(traffic, draft, arguments)
    }
    guard !draft.isInRealTime else {
      throw UsageError("--real-time is for a proxy's recording or a HAR file; a gateway's journal moves the clock")
    }
    let recorded = try lines(bytes, arguments.operands[1])
    let script = ReplayScript(recorded)
    let replayed: [ReplayLine]
    do {
      replayed = try await self.replayed(script, draft, arguments)
    } catch let stopped as ReplaySpace.Stopped {
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

  /// The shipped description of the dialect that every gateway serves.
  private static let ofPlain: Name = "postern-plain"

  /// Plays what a proxy or a browser recorded.
  private static func played(_ recording: Recording, _ draft: Draft, _ arguments: Arguments) async throws -> Int32 {
    var members = try ControlAction.members(draft.settings)
    // The recorded wire, unless another is named.
    if !members.contains(where: { Name($0.name) == "wire" }),
      let wire = recording.wires.first(where: { WireFile.shipped($0) != nil && Name($0) != ofPlain })
    {
      members.append(JSONMember("wire", wire))
    }
    let settings = members.isEmpty ? nil : JSONFragment(String(decoding: members.object() as [UInt8], as: UTF8.self))
    let steps = TrafficStep.steps(of: recording)
    let order = MakeSpaceOrder(frozen: draft.isInRealTime ? nil : true, settings: settings)
    let control = try ControlConnection(arguments).client()
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let outcome: TrafficReplay.Outcome
    do {
      outcome = try await ReplaySpace.with(order, control: control, on: loop) { space in
        try await TrafficReplay(recording, in: space, on: loop.events, isInRealTime: draft.isInRealTime).play(steps)
      }
    } catch let stopped as ReplaySpace.Stopped {
      Output.error(stopped.sentence)
      return 1
    }
    let left = recording.messagesLeftOut
    if left > 0 { Output.line("not played: \(left) messages of clients whose content is not in the file") }
    for sentence in outcome.notes + outcome.differences { Output.line(sentence) }
    Output.line(
      "\(steps.count) steps over \(Double(steps.last?.at ?? 0) / 1_000) s played: \(outcome.alike) alike, "
        + "\(outcome.differences.count) different")
    return outcome.differences.isEmpty && left == 0 ? 0 : 1
  }

  private static func lines(_ bytes: [UInt8], _ file: String) throws -> [ReplayLine] {
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

  private static func replayed(
    _ script: ReplayScript, _ draft: Draft, _ arguments: Arguments
  ) async throws -> [ReplayLine] {
    let settings = try ControlAction.settings(draft.settings)
    let control = try ControlConnection(arguments).client()
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    return try await ReplaySpace.with(MakeSpaceOrder(frozen: true, settings: settings), control: control, on: loop) {
      try await ReplayRun(in: $0, on: loop.events).lines(of: script)
    }
  }
}
