import GatewayDrafts
import GatewayKit
import GatewayWires

/// The command `postern wire draft`: it drafts the description of a wire from a recording or a HAR file.
enum WireDraftCommand: Command {
  static let name = "wire draft"
  static let summary =
    "draft the description of a gateway's wire from a recording or a HAR file, as a start for your own"
  static let operands = "RECORDING"
  static let example = "postern wire draft run.jsonl > my.json"
  static let sections = [FlagSection("flags", options)]

  private static let options: [Option<String>] = [
    Option("name", "NAME", "the name of the wire (default drafted)", \.self, .text)
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var name = "drafted"
    try arguments.read(options, into: &name)
    guard let file = try arguments.operand() else {
      throw UsageError("wire draft wants the file of a RECORDING, as postern proxy --record writes it, or of a HAR")
    }
    guard (1...64).contains(name.utf8.count) else { throw UsageError("--name: a wire's name has 1 to 64 bytes") }
    let bytes = try InputFile.readLocal(file, of: "RECORDING", sizeMax: Recording.sizeMax)
    let draft: WireDraft
    do throws(Recording.Malformed) {
      draft = try WireDraft(try Recording(reading: bytes), name: name)
    } catch {
      throw UsageError("RECORDING: '\(file)': \(error.description)")
    }
    Output.line(draft.text)
    for lack in draft.missing { Output.error("not in the recording: \(lack)") }
    do throws(DescriptionError) {
      let wire = try WireDescription(try DescriptionFile.parse(Array(draft.text.utf8), file: "draft"))
      Output.error("draft: \(wire.outline)")
      if let reason = wire.unplayable { Output.error("for storms, not for postern serve: \(reason)") }
      return 0
    } catch {
      Output.error("wire check will say: \(error)")
      return 1
    }
  }
}
