import GatewayKit
import Glibc

/// The program: it finds the command that its first words name, and runs it.
@main
struct Postern {
  /// The commands, in the order in which the help lists them.
  static var commands: [any Command.Type] {
    [
      ServeCommand.self, ProxyAuthorityCommand.self, ProxyCommand.self, ConnectCommand.self, StormCommand.self,
      SimulatePlanCommand.self, SimulateCalibrateCommand.self, SimulateCommand.self,
      ScenarioDraftCommand.self,
      WorkerCommand.self, WireListCommand.self, WireShowCommand.self, WireDraftCommand.self, WireCheckCommand.self,
      WireTryCommand.self, ReportCompareCommand.self, ReportShowCommand.self,
      ReportAddCommand.self, ReportTrendCommand.self, ControlCommand.self,
      TokenMintCommand.self,
      TokenInspectCommand.self,
      TokenVerifyCommand.self, TokenBenchCommand.self, CompletionsCommand.self, ManCommand.self,
    ]
  }

  static func main() async {
    // A reader that went away, as in `postern --help | head`, must not end the process by a signal.
    signal(SIGPIPE, SIG_IGN)
    // A file above the system's limit must not end the process either: the write fails, and the command reports it.
    signal(SIGXFSZ, SIG_IGN)
    Output.openStandardDescriptors()
    let status = await run(Array(CommandLine.arguments.dropFirst()))
    guard let failure = Output.failed else { exit(status) }
    Output.error("cannot write to standard output: \(failure)")
    exit(status == 0 ? 1 : status)
  }

  /// The help text, as wide as the terminal, between 60 and 120 columns.
  private static var help: HelpText {
    HelpText(columns: min(max(Terminal.columns(of: STDOUT_FILENO) ?? 100, 60), 120))
  }

  /// Runs the command that `words` call.
  ///
  /// Returns the exit status: 2 for a usage error, 3 for a failure that every start repeats until an operator acts, 1 for
  /// other failures.
  static func run(_ words: [String]) async -> Int32 {
    guard let (command, rest) = find(words) else { return runNone(words) }
    do {
      if rest.contains("--version") {
        Output.line(Version.text)
        return 0
      }
      if rest.contains("--help") || rest.contains("-h") {
        let topic = action(of: command, in: rest) ?? command.page
        Output.line(rest.contains("--help") ? help.of(topic) : help.short(topic))
        return 0
      }
      let arguments = try Arguments(
        rest, flags: command.flags, environment: ProcessEnvironment.variables,
        operands: !command.operands.isEmpty, among: commands)
      do {
        return try await command.run(arguments)
      } catch let error as UsageError {
        throw arguments.located(error)
      }
    } catch let error as UsageError {
      Output.error("\(error)\n(postern \(command.name) --help tells more)")
      return 2
    } catch let error as any LastingFailure {
      Output.error("\(error)")
      return error.isLasting ? 3 : 1
    } catch {
      Output.error("\(error)")
      return 1
    }
  }

  /// Handles words that call no command: prints the help, the version or an error. Returns the exit status.
  private static func runNone(_ words: [String]) -> Int32 {
    guard let first = words.first, !["--help", "-h"].contains(first) else {
      Output.line(help.all(commands))
      return words.isEmpty ? 2 : 0
    }
    if first == "help" {
      let topic = Array(words.dropFirst())
      if let (command, rest) = find(topic) {
        Output.line(help.of(action(of: command, in: rest) ?? command.page))
        return 0
      }
      return runNone(topic.isEmpty ? ["--help"] : topic)
    }
    if ["--version", "-V", "version"].contains(first) {
      Output.line(Version.text)
      return 0
    }
    let family = commands.filter { $0.name.hasPrefix("\(first) ") }
    if !family.isEmpty, words.count == 1 || words[1].hasPrefix("-") {
      Output.line(help.all(family))
      return words.count == 1 ? 2 : 0
    }
    Output.error(complaint(about: words))
    return 2
  }

  /// Returns the error message for words that call no command.
  static func complaint(about words: [String]) -> String {
    let first = words.first ?? ""
    if first.hasPrefix("-") {
      let near = Suggestion.near(String(first.drop { $0 == "-" }), among: ["help", "version"])
      guard near.isEmpty else { return "\(first): no such flag" + Suggestion.question(near.map { "--\($0)" }) }
      return "a command comes first, as in postern serve \(first); postern --help lists the commands"
    }
    let isFamily = commands.contains { $0.name.hasPrefix("\(first) ") }
    let pair = words.prefix(2).joined(separator: " ")
    let asked = isFamily ? pair : first
    // Finds e.g. `token mint` for `token mnit` and `tokne mint`, `serve` for `sevre`, and a name by its second word, `mint`.
    var names = Suggestion.near(pair, among: commands.map { $0.name }.filter { $0.contains(" ") })
    if names.isEmpty && !isFamily {
      names = commands.map { $0.name }.filter { name in
        !Suggestion.near(first, among: [name] + name.split(separator: " ").map(String.init)).isEmpty
      }
    }
    let question = Suggestion.question(names.map { "postern \($0)" })
    return "'\(asked)' is no command\(question) (postern --help lists them)"
  }

  /// Returns the action of a command that the words after it name.
  private static func action(of command: any Command.Type, in words: [String]) -> CommandPage? {
    command.actions.first { action in words.contains { "\(command.name) \($0)" == action.name } }
  }

  private static func find(_ words: [String]) -> ((any Command.Type), [String])? {
    for command in commands {
      let name = command.name.split(separator: " ").map(String.init)
      if words.starts(with: name) { return (command, Array(words.dropFirst(name.count))) }
    }
    return nil
  }
}
