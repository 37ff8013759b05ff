/// What `--help` prints.
enum HelpText {
  static func all(_ commands: [any Command.Type]) -> String {
    var text = """
      Postern: a realtime gateway you can break on purpose.

      usage: postern COMMAND [flags]        postern COMMAND --help tells more


      """
    let width = commands.map { $0.name.count }.max() ?? 0
    for command in commands { text += "  \(padded(command.name, width))  \(command.summary)\n" }
    return text
  }

  static func of(_ command: any Command.Type) -> String {
    var text = "\(command.summary)\n\nusage: postern \(command.name) [flags]"
    text += command.operands.isEmpty ? "\n\n" : " \(command.operands)\n\n"
    let flags = command.flags + [.config, .help]
    let heads = flags.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
    let width = min(heads.map(\.count).max() ?? 0, 34)
    for (flag, head) in zip(flags, heads) {
      text += "  \(padded(head, width))  \(flag.help)\(flag.repeats ? " (may be repeated)" : "")\n"
    }
    text += "\nEvery flag may also come from the environment (--refresh-timeout as POSTERN_REFRESH_TIMEOUT)"
    text += " or from the file of --config.\n\nexample:\n  \(command.example)\n"
    return text
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
