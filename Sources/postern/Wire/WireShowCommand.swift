import GatewayKit

/// The command `postern wire show`: it prints a shipped description, as a template for a new one.
enum WireShowCommand: Command {
  static let name = "wire show"
  static let summary = "print a description that comes with postern, as a start for your own"
  static let operands = "NAME"
  static let example = "postern wire show socketio > my.json"
  static let sections = [FlagSection("flags", options)]

  private static let options: [Option<Bool>] = [
    Option("tokens", "print the description of a token endpoint instead of a wire's", \.self)
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var ofTokens = false
    try arguments.read(options, into: &ofTokens)
    let shipped: ShippedFiles = ofTokens ? .tokens : .wires
    guard let name = try arguments.operand() else {
      throw UsageError("wire show wants the NAME of a description; postern wire list has them")
    }
    let path = try shipped.path(Arguments.Value(text: name, source: "NAME"))
    let text = try shipped.text(of: ShippedFiles.File(name: name, path: path))
    Output.line(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    return 0
  }
}
