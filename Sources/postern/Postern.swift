import Foundation

@main
struct Postern {
  /// The commands, in the order in which the help lists them.
  static var commands: [any Command.Type] {
    [
      ServeCommand.self, StormCommand.self, ControlCommand.self, TokenMintCommand.self, TokenInspectCommand.self,
      TokenVerifyCommand.self, TokenBenchCommand.self,
    ]
  }

  static func main() async {
    // A reader that went away, as in `postern --help | head`, is no reason to die by signal.
    signal(SIGPIPE, SIG_IGN)
    exit(await run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Fits the terminal, within reason.
  private static var help: HelpText {
    HelpText(columns: min(max(Terminal.columns(of: STDOUT_FILENO) ?? 100, 60), 120))
  }

  /// Runs the command that `words` call. Returns the exit status: 2 for what was asked wrongly, 1 for what went wrong.
  static func run(_ words: [String]) async -> Int32 {
    guard let (command, rest) = find(words) else {
      if words.isEmpty || ["--help", "-h", "help"].contains(words[0]) {
        Output.line(help.all(commands))
        return words.isEmpty ? 2 : 0
      }
      let family = commands.filter { $0.name.hasPrefix("\(words[0]) ") }
      if !family.isEmpty {
        Output.line(help.all(family))
        return words.contains("--help") || words.contains("-h") ? 0 : 2
      }
      Output.error("'\(words[0])' is no command; postern --help lists them")
      return 2
    }
    do {
      if rest.contains("--help") || rest.contains("-h") {
        Output.line(rest.contains("--help") ? help.of(command) : help.short(command))
        return 0
      }
      let arguments = try Arguments(
        rest, flags: command.flags, environment: ProcessInfo.processInfo.environment,
        operands: !command.operands.isEmpty)
      return try await command.run(arguments)
    } catch let error as UsageError {
      Output.error("\(error)\n(postern \(command.name) --help tells more)")
      return 2
    } catch {
      Output.error("\(error)")
      return 1
    }
  }

  private static func find(_ words: [String]) -> ((any Command.Type), [String])? {
    for command in commands {
      let name = command.name.split(separator: " ").map(String.init)
      if words.starts(with: name) { return (command, Array(words.dropFirst(name.count))) }
    }
    return nil
  }
}
