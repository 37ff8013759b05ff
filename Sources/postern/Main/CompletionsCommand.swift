import GatewayKit

/// The command `postern completions`: it prints a shell's completion script, made from the declarations of commands and
/// flags.
enum CompletionsCommand: Command {
  static let name = "completions"
  static let summary = "what a shell needs to complete these commands and flags"
  static let operands = Shell.allCases.map(\.rawValue).joined(separator: "|")
  static let example = "postern completions bash > ~/.local/share/bash-completion/completions/postern"
  static let sections: [FlagSection] = []

  /// A shell with a completion script.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    func script(_ completed: CompletedCommands) -> String {
      switch self {
      case .bash: BashCompletion(completed: completed).script
      case .zsh: ZshCompletion(completed: completed).script
      case .fish: FishCompletion(completed: completed).script
      }
    }
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard let word = try arguments.operand() else { throw UsageError("for which shell? \(operands)") }
    guard let shell = Shell(rawValue: word) else {
      throw UsageError("'\(word)' is no shell that is known here; expected \(operands)")
    }
    Output.line(shell.script(CompletedCommands(Postern.commands)))
    return 0
  }
}
