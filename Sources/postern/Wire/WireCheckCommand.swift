import GatewayKit
import GatewayWires

/// The command `postern wire check`: it checks the description of a wire and, with an address, plays one client of it.
enum WireCheckCommand: Command {
  static let name = "wire check"
  static let summary = "check the description of a gateway's wire; with --url, run one client and show its messages"
  static let operands = "FILE|NAME"
  static let example = "postern wire check socketio"
  static let sections = StormFlags.ofOneClient
  static let neededFirst = [
    "url", "provider", "provider-secret-file", "mint", "secret-file", "life", "behaviour", "insecure",
    "connect-timeout",
    "timeout",
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard arguments.operands.count == 1 else {
      throw UsageError("wire check wants one FILE, or a NAME of postern wire list")
    }
    let file = Arguments.Value(text: arguments.operands[0], source: "FILE")
    let wire = try WireFile.read(file)
    var draft = try StormDraft(arguments, isPart: false)
    guard !draft.urls.isEmpty else {
      Output.line(wire.outline)
      if let reason = wire.proxyOnly {
        Output.line("for postern proxy, not for storms and postern serve: \(reason)")
      } else if let reason = wire.unplayable {
        Output.line("for storms, not for postern serve: \(reason)")
      }
      for silence in wire.silences { Output.line("on postern serve: \(silence)") }
      return 0
    }
    draft.wire = file
    return try await WireTrial(draft, arguments).run()
  }
}
