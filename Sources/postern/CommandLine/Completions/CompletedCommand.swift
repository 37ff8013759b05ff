import GatewayKit

/// A command as a shell sees it: its words, its flags and its operands.
struct CompletedCommand {
  /// One word, or two as in `token mint`.
  let words: [String]
  let summary: String
  /// The operands, if they are one of a few words.
  let operands: [String]
  let flags: [Flag]
  /// The command line that prints what may stand behind it; nil where ``operands`` says all.
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
