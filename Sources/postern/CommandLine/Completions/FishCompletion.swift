import GatewayCore
import GatewayKit

/// The fish completion of the commands, their flags and the flags' values, each with its line of help.
struct FishCompletion {
  let completed: CompletedCommands

  var script: String {
    var lines = ["# Completion of postern for fish, made by: postern completions fish", "complete -c postern -f"]
    for (word, summary) in completed.firstWords {
      lines.append("complete -c postern -n __fish_use_subcommand -a \(word) -d \(quoted(summary))")
      lines.append("complete -c postern -n '__fish_seen_subcommand_from help' -a \(word) -d \(quoted(summary))")
    }
    for (word, commands) in completed.families {
      let others = commands.map { $0.words[1] }.joined(separator: " ")
      let condition = "__fish_seen_subcommand_from \(word); and not __fish_seen_subcommand_from \(others)"
      for command in commands {
        lines.append(
          "complete -c postern -n '\(condition)' -a \(command.words[1]) -d \(quoted(command.summary))")
      }
    }
    for command in completed.all {
      let condition = command.words.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
      let head = "complete -c postern -n '\(condition)'"
      if !command.operands.isEmpty { lines.append("\(head) -a \(quoted(command.operands.joined(separator: " ")))") }
      if let names = command.operandNames { lines.append("\(head) -F -a '(\(names))'") }
      lines += command.flags.map { "\(head) -l \($0.name)\(value($0)) -d \(quoted($0.help))" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func value(_ flag: Flag) -> String {
    switch ValueForm(flag) {
    case .none: ""
    case .choice(let words): " -x -a \(quoted(words.joined(separator: " ")))"
    case .file, .namedFile: " -r -F"
    case .shipped(let names): " -r -F -a '(\(names))'"
    case .directory: " -x -a '(__fish_complete_directories)'"
    case .other: " -x"
    }
  }

  private func quoted(_ text: String) -> String {
    "'\(text.replacing(bytesOf: "\\", with: "\\\\").replacing(bytesOf: "'", with: "\\'"))'"
  }
}
