import GatewayKit

/// The bash completion of the commands, their flags and the flags' values.
struct BashCompletion {
  let completed: CompletedCommands

  var script: String {
    """
    # Completion of postern for bash, made by: postern completions bash
    _postern_files() {
      local IFS=$'\\n'
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen "$1" -- "$cur"))
    }
    _postern_words() {
      COMPREPLY=($(compgen -W "$1" -- "$cur"))
    }
    # Files, and what a command prints.
    _postern_shipped() {
      _postern_files -f
      COMPREPLY+=($(compgen -W "$(eval "$1")" -- "$cur"))
    }
    _postern() {
      local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-} at=$((COMP_CWORD - 1)) equals= named= flag operands= flags=
      COMPREPLY=()
      if ((COMP_CWORD == 1)); then
        _postern_words '\(firstWords) --help --version'
        return
      fi
      case $command in
        help)
          _postern_words '\(firstWords)'
          return ;;
    \(families)
      esac
      # bash makes words of their own of what stands round an equals sign.
      if [[ $cur == = ]]; then
        cur= equals=1
      elif [[ ${COMP_WORDS[at]} == = ]]; then
        ((at--))
        equals=1
      fi
      if [[ $equals && ${COMP_WORDS[at]} != -* ]]; then
        ((at--))
        named=1
      fi
      flag=${COMP_WORDS[at]}
      case "$command $flag" in
    \(values)
      esac
      case $command in
    \(commands)
      esac
      if [[ $cur == -* || -z $operands ]]; then _postern_words "$flags"; else _postern_words "$operands"; fi
    }
    complete -F _postern postern

    """
  }

  private var firstWords: String {
    completed.firstWords.map(\.word).joined(separator: " ")
  }

  /// The branches for commands of two words.
  private var families: String {
    completed.families.map { word, commands in
      """
          \(word))
            if ((COMP_CWORD == 2)); then
              _postern_words '\(commands.compactMap(\.words.last).joined(separator: " ")) --help'
              return
            fi
            command+=" ${COMP_WORDS[2]}" ;;
      """
    }.joined(separator: "\n")
  }

  /// The branches for the values of flags.
  private var values: String {
    var lines: [String] = []
    /// Adds one branch for all flags with the same form of value.
    func branch(_ action: String, _ isMeant: (ValueForm) -> Bool) {
      let patterns = completed.all.flatMap { command in
        command.flags.filter { isMeant(ValueForm($0)) }.map { "'\(command.words.joined(separator: " ")) --\($0.name)'" }
      }
      guard !patterns.isEmpty else { return }
      lines.append("    \(patterns.joined(separator: " | ")))\n      \(action)\n      return ;;")
    }
    var choices: [[String]] = []
    for case .choice(let words) in completed.all.flatMap({ $0.flags.map(ValueForm.init) })
    where !choices.contains(words) {
      choices.append(words)
    }
    for words in choices { branch("_postern_words '\(words.joined(separator: " "))'") { $0 == .choice(words) } }
    branch("_postern_files -f") { $0 == .file }
    branch("_postern_files -d") { $0 == .directory }
    for names in [ValueForm.wireNames, ValueForm.tokenNames] {
      branch("_postern_shipped '\(names)'") { $0 == .shipped(names) }
    }
    branch("[[ $named ]] && _postern_files -f") { $0 == .namedFile }
    branch(":") { $0 == .other }
    return lines.joined(separator: "\n")
  }

  private var commands: String {
    completed.all.map { command in
      let flags = command.flags.map { "--\($0.name)" }.joined(separator: " ")
      return "    '\(command.words.joined(separator: " "))') flags='\(flags)' operands='"
        + command.operands.joined(separator: " ") + "'"
        + (command.operandNames.map { " operands=\"$(\($0))\"" } ?? "") + " ;;"
    }.joined(separator: "\n")
  }
}
