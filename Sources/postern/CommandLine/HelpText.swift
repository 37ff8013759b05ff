import GatewayKit

/// The text that `--help` and `-h` print.
struct HelpText {
  /// The maximum number of columns in a line; longer lines are broken.
  let columns: Int

  private static let headWidthMax = 34

  /// Returns the list of commands.
  func all(_ commands: [any Command.Type]) -> String {
    var text = """
      Postern: a realtime gateway you can break on purpose.

      usage: postern COMMAND [flags]        postern COMMAND --help tells more


      """
    let width = commands.map { $0.name.count }.max() ?? 0
    for command in commands { text += line(command.name, command.summary, width: width) }
    return text
  }

  /// Returns the help of one command: the flags needed first, then all others in their sections.
  func of(_ command: CommandPage) -> String {
    let first = Self.first(command)
    var text = head(command)
    text += actions(command)
    if !first.isEmpty { text += section("needed first", first) }
    for part in command.sections + [.everywhere] {
      let rest = part.flags.filter { flag in !first.contains { $0.name == flag.name } }
      if !rest.isEmpty { text += section(part.title, rest) }
    }
    return text + tail(command)
  }

  /// Returns the short help of one command: the flags needed first, or all flags if the command has few.
  func short(_ command: CommandPage) -> String {
    let first = Self.first(command)
    guard !first.isEmpty else { return of(command) }
    let count = command.flags.count + FlagSection.everywhere.flags.count
    return head(command) + actions(command) + section("needed first", first)
      + "\npostern \(command.name) --help shows all \(count) flags.\n" + example(command)
  }

  /// Returns the flags that `command` names as needed first.
  static func first(_ command: CommandPage) -> [Flag] {
    let all = command.flags + FlagSection.everywhere.flags
    return command.neededFirst.map { name in
      guard let flag = all.first(where: { $0.name == name }) else { preconditionFailure("no flag --\(name)") }
      return flag
    }
  }

  private func head(_ command: CommandPage) -> String {
    let operands = command.operands.isEmpty ? "" : " \(command.operands)"
    return broken(command.summary, indent: 0) + "\n\n"
      + broken("usage: postern \(command.name) [flags]\(operands)", indent: 4) + "\n"
  }

  private func actions(_ command: CommandPage) -> String {
    guard !command.actions.isEmpty else { return "" }
    let words = command.actions.map { $0.name.dropFirst(command.name.count + 1) }
    let width = words.map(\.count).max() ?? 0
    return "\nactions (each has a --help of its own):\n"
      + zip(words, command.actions).map { line(String($0), $1.summary, width: width) }.joined()
  }

  private func section(_ title: String, _ flags: [Flag]) -> String {
    let heads = flags.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
    let width = min(heads.map(\.count).max() ?? 0, Self.headWidthMax)
    return "\n\(title):\n"
      + zip(flags, heads).map { flag, head in
        line(head, flag.help + (flag.repeats ? " (may be repeated)" : ""), width: width)
      }.joined()
  }

  private func tail(_ command: CommandPage) -> String {
    let sources = """
      Every flag may also come from the environment (--refresh-timeout as POSTERN_REFRESH_TIMEOUT) or from the file of \
      --config.
      """
    return "\n" + broken(sources, indent: 0) + "\n" + example(command)
  }

  private func example(_ command: CommandPage) -> String {
    "\nexample:\n  \(command.example)\n"
  }

  /// Returns a head followed by its text. The text starts on the next line if the head is too long.
  private func line(_ head: String, _ text: String, width: Int) -> String {
    let indent = width + 4
    let body = broken(text, indent: indent, from: indent)
    guard head.count > width else {
      return "  " + head + String(repeating: " ", count: indent - 2 - head.count) + body + "\n"
    }
    return "  \(head)\n" + String(repeating: " ", count: indent) + body + "\n"
  }

  /// Returns `text` with line feeds where a line would be too long; the lines after the first are indented.
  private func broken(_ text: String, indent: Int, from start: Int = 0) -> String {
    var broken = ""
    var column = start
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if broken.isEmpty {
        broken += word
        column += word.count
      } else if column + 1 + word.count > columns {
        broken += "\n" + String(repeating: " ", count: indent) + word
        column = indent + word.count
      } else {
        broken += " " + word
        column += 1 + word.count
      }
    }
    return broken
  }
}
