import GatewayCore
import GatewayKit

/// The manual page in the macros of man(7).
enum ManualPage {
  static func text(of commands: [any Command.Type]) -> String {
    var page = """
      .TH POSTERN 1 "" "postern \(Version.number)" "User Commands"
      .SH NAME
      postern \\- a realtime gateway you can break on purpose
      .SH SYNOPSIS
      .B postern
      .I COMMAND
      .RI [ flags ]
      .SH DESCRIPTION
      Postern keeps WebSocket connections, checks their tokens, lets the tokens expire in the middle of a session, asks
      the clients for new ones and disconnects those who miss the timeout. It speaks the protocols of
      \(others), and a plain one of its own.
      .SH COMMANDS

      """
    for command in commands { page += section(command.page) }
    page += """
      .SH FLAGS OF EVERY COMMAND
      \(FlagSection.everywhere.flags.map(entry).joined())\
      .SH ENVIRONMENT
      Every flag may come from the variable of its name, as
      .B POSTERN_REFRESH_TIMEOUT
      for
      .BR \\-\\-refresh\\-timeout ;
      values of a flag that may be repeated are separated by commas. The command line wins over the environment, and that
      over the file. A variable that begins with
      .B POSTERN_
      and that no command reads is refused.
      .TP
      .B POSTERN_CONFIG
      The file of flags, where
      .B \\-\\-config
      is not given. It may hold flags of several commands.
      .SH FILES
      A file of flags is one JSON object with comments (JSON5). Its keys are the flags' names without dashes, its values
      text, numbers, true, false, or arrays of them where a flag may be repeated.
      .SH EXIT STATUS
      .TP
      .B 0
      It went well; of a storm, every threshold held; a token is valid.
      .TP
      .B 1
      It did not.
      .TP
      .B 2
      The command line, the environment or the file asks for what cannot be.

      """
    return page
  }

  /// The vendors but the gateway's own.
  private static var others: String {
    let titles = Vendors.all.dropFirst().map { $0.title }
    return titles.dropLast().joined(separator: ", ") + (titles.count > 1 ? " and " : "") + (titles.last ?? "")
  }

  private static func section(_ command: CommandPage) -> String {
    let operands = command.operands.isEmpty ? "" : " \(command.operands)"
    var text = """
      .SS "\(escaped("postern \(command.name) [flags]\(operands.replacing(bytesOf: "|", with: " | "))"))"
      \(line(sentence(command.summary)))
      """
    let first = HelpText.first(command)
    if !first.isEmpty {
      text += ".PP\nOne needs first: "
      text += first.map { "\\fB\(escaped("--\($0.name)"))\\fR" }.joined(separator: ", ") + ".\n"
    }
    for action in command.actions {
      text += ".TP\n\\fB\(escaped(action.name))\\fR\n\(line(sentence(action.summary)))"
    }
    for part in command.sections where !part.flags.isEmpty {
      text += ".PP\n.I \(line(part.title.prefix(1).uppercased() + part.title.dropFirst()))"
      text += part.flags.map(entry).joined()
    }
    text += ".PP\nExample:\n.PP\n.nf\n.RS 4\n"
    text += command.example.split(separator: "\n").map { line(String($0)) }.joined()
    return text + ".RE\n.fi\n"
  }

  private static func entry(_ flag: Flag) -> String {
    let value = flag.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
    let help = sentence(flag.help) + (flag.repeats ? " May be repeated." : "")
    return ".TP\n\\fB\(escaped("--\(flag.name)"))\\fR\(value)\n\(line(help))"
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
  }

  /// One line of text, which is no request even if it begins like one.
  private static func line(_ text: String) -> String {
    let isRequest = text.hasPrefix(".") || text.hasPrefix("'")
    return (isRequest ? "\\&" : "") + escaped(text) + "\n"
  }

  /// Text that troff prints unchanged.
  private static func escaped(_ text: String) -> String {
    text.replacing(bytesOf: "\\", with: "\\e").replacing(bytesOf: "-", with: "\\-").replacing(
      bytesOf: "\"", with: "\\(dq")
  }
}
