import GatewayKit

/// A command in a shell's completion: its words, flags and operands.
struct CompletedCommand {
  /// The words of the command: one, or two as in `token mint`.
  let words: [String]
  let summary: String
  /// The possible operands, if the command takes one of a few words.
  let operands: [String]
  let flags: [Flag]
  /// The command line that prints the possible operands; nil if ``operands`` is complete.
  let operandNames: String?

  init(_ command: any Command.Type) {
    words = command.name.split(separator: " ").map(String.init)
    summary = command.summary
    operandNames = ["NAME", "FILE|NAME"].contains(command.operands) ? ValueForm.wireNames : nil
    let choices = operandNames != nil ? [] : command.operands.split(separator: "|")
    operands =
      choices.count > 1 ? choices.map { String($0.prefix { $0 != " " && $0 != "[" }) }.filter { !$0.isEmpty } : []
    flags = command.flags + FlagSection.everywhere.flags
  }
}
