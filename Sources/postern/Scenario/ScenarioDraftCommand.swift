import GatewayDrafts
import GatewayKit

/// The command `postern scenario draft`: it drafts a scenario from a recording or a HAR file.
enum ScenarioDraftCommand: Command {
  static let name = "scenario draft"
  static let summary =
    "draft a scenario for storm and simulate from a recording or a HAR file: clients, arrivals, stays, lives of tokens"
  static let operands = "RECORDING"
  static let example = "postern scenario draft run.jsonl > day.json"
  static let sections = [FlagSection("flags", options)]

  private struct Draft: Sendable {
    var scale: Int?
    var output: OutputFile?
  }

  private static let options: [Option<Draft>] = [
    Option(
      "scale", "CLIENTS", "have so many clients at one time, and arrivals in proportion (default as recorded)", \.scale,
      .int(1...ScenarioDraft.clientsMax)),
    Option("output", "FILE", "write the scenario there (default standard output)", \.output, .outputFile),
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var given = Draft()
    try arguments.read(options, into: &given)
    guard let file = try arguments.operand() else {
      throw UsageError(
        "scenario draft wants the file of a RECORDING, as postern proxy --record writes it, or of a HAR")
    }
    var reader = TrafficReader()
    let draft: ScenarioDraft
    do {
      try InputFile.readPieces(file, of: "RECORDING") { try reader.add($0) }
      draft = try ScenarioDraft(
        try reader.finish(), dialects: Vendors.all.map { $0.scheme }, clients: given.scale)
    } catch let error as Recording.Malformed {
      throw UsageError("RECORDING: '\(file)': \(error.description)")
    }
    // Throws what storm and simulate would say of it.
    _ = try ScenarioFile(parsing: Array(draft.text.utf8), path: "draft", of: "the draft")
    if let output = given.output { try output.write(draft.text + "\n") } else { Output.line(draft.text) }
    Output.error("draft: \(draft.outline)")
    return 0
  }
}
