import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayReport
import GatewayWires

/// The command `postern wire list`: it prints the descriptions of wires that ship with postern.
enum WireListCommand: Command {
  static let name = "wire list"
  static let summary = "list the descriptions of wires that come with postern, for --wire NAME"
  static let example = "postern wire list"
  static let sections = [FlagSection("flags", options)]

  private struct Draft: Sendable {
    var printsJSON = false
    var printsNames = false
    var ofTokens = false
  }

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    Option("json", "print the list as JSON", \.printsJSON)
    Option("names", "print only the names, one a line", \.printsNames)
    Option("tokens", "list the descriptions of token endpoints, for --tokens NAME, instead of wires", \.ofTokens)
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var draft = Draft()
    try arguments.read(options, into: &draft)
    let shipped: ShippedFiles = draft.ofTokens ? .tokens : .wires
    let files = shipped.all
    if draft.printsNames {
      for file in files { Output.line(file.name) }
      return 0
    }
    guard !files.isEmpty else {
      Output.error(
        "no \(shipped.rawValue) in \(shipped.places); install the package, or run it in the folder of the sources")
      return 1
    }
    if draft.printsJSON {
      Output.line(try json(files, of: shipped))
      return 0
    }
    var rows = [shipped == .wires ? ["NAME", "RENEWAL", "WHAT IT IS"] : ["NAME", "WHAT IT IS"]]
    for file in files {
      let about = VisibleText.escaping(try shipped.about(file))
      rows.append(shipped == .wires ? [file.name, try renewal(file), about] : [file.name, about])
    }
    Output.line(TextTable.aligned(rows).joined(separator: "\n"))
    return 0
  }

  private static func renewal(_ file: ShippedFiles.File) throws -> String {
    try WireFile.read(Arguments.Value(text: file.path, source: file.name)).habits.refresh.how.rawValue
  }

  private static func json(_ files: [ShippedFiles.File], of shipped: ShippedFiles) throws -> String {
    let objects = try files.map { file in
      var members = [JSONMember("name", file.name), JSONMember("path", file.path)]
      members.append(JSONMember("about", try shipped.about(file)))
      if shipped == .wires { members.append(JSONMember("renewal", try renewal(file))) }
      return String(decoding: members.object() as [UInt8], as: UTF8.self)
    }
    return "{\"\(shipped.rawValue)\":[\(objects.joined(separator: ","))]}"
  }
}
