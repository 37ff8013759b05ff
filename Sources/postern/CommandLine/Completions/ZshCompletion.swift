import GatewayCore
import GatewayKit

/// The zsh completion of the commands, their flags and the flags' values.
struct ZshCompletion {
  let completed: CompletedCommands

  var script: String {
    """
    #compdef postern
    # Completion of postern for zsh, made by: postern completions zsh
    _postern() {
      local -a commands
      if ((CURRENT == 2)); then
        commands=(\(described(completed.firstWords)))
        _describe command commands
        return
      fi
      case $words[2] in
        help)
          commands=(\(described(completed.firstWords)))
          ((CURRENT == 3)) && _describe command commands ;;
    \(completed.all.filter { $0.words.count == 1 }.map { branch($0, indent: 4) }.joined(separator: "\n"))
    \(families)
      esac
    }
    if [[ $funcstack[1] == _postern ]]; then _postern "$@"; else compdef _postern postern; fi

    """
  }

  private var families: String {
    completed.families.map { word, commands in
      """
          \(word))
            if ((CURRENT == 3)); then
              commands=(\(described(commands.map { ($0.words[1], $0.summary) })))
              _describe command commands
              return
            fi
            case $words[3] in
      \(commands.map { branch($0, indent: 8) }.joined(separator: "\n"))
            esac ;;
      """
    }.joined(separator: "\n")
  }

  /// Returns the branch that completes the flags of a command. It first removes the command's own words.
  private func branch(_ command: CompletedCommand, indent: Int) -> String {
    let space = String(repeating: " ", count: indent)
    let count = command.words.count
    var specifications = command.flags.map(specification)
    if !command.operands.isEmpty {
      specifications.append(quoted("1:what to do:(\(command.operands.joined(separator: " ")))"))
    }
    if let names = command.operandNames { specifications.append(quoted("1:NAME:\(Self.shipped(names))")) }
    return """
      \(space)\(command.words[count - 1]))
      \(space)  shift \(count) words
      \(space)  ((CURRENT -= \(count)))
      \(space)  _arguments \(specifications.joined(separator: " \\\n\(space)    ")) ;;
      """
  }

  /// Returns a flag in the form that `_arguments` expects: `--port=[help]:N:`.
  private func specification(_ flag: Flag) -> String {
    let help = Self.escaped(flag.help, "[]:\\")
    let head = (flag.repeats ? "*" : "") + "--\(flag.name)"
    guard let value = flag.value else { return quoted("\(head)[\(help)]") }
    let action =
      switch ValueForm(flag) {
      case .choice(let words): "(\(words.joined(separator: " ")))"
      case .file: "_files"
      case .directory: "_files -/"
      case .shipped(let names): Self.shipped(names)
      case .none, .namedFile, .other: ""
      }
    return quoted("\(head)=[\(help)]:\(value.replacing(bytesOf: ":", with: "\\:")):\(action)")
  }

  /// Returns the action that offers files and the names that a command prints.
  private static func shipped(_ names: String) -> String { "{_files; compadd -- $(\(names))}" }

  private func described(_ words: [(word: String, summary: String)]) -> String {
    words.map { quoted("\($0.word):\(Self.escaped($0.summary, "\\:"))") }.joined(separator: " ")
  }

  /// Returns the text with a backslash before each of `signs`.
  private static func escaped(_ text: String, _ signs: String) -> String {
    text.map { signs.contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  private func quoted(_ text: String) -> String {
    "'\(text.replacing(bytesOf: "'", with: "'\\''"))'"
  }
}
