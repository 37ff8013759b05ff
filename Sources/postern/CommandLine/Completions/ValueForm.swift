import GatewayKit

/// What a flag's value looks like, as far as the flag's declaration says: what a shell can offer for it.
enum ValueForm: Equatable {
  /// The flag is a switch.
  case none
  case choice([String])
  case file
  /// `NAME=FILE`.
  case namedFile
  case directory
  /// Something nobody can guess, e.g. a number.
  case other

  init(_ flag: Flag) {
    switch flag.value {
    case nil: self = .none
    case "FILE": self = .file
    case "DIR": self = .directory
    case let value? where value.hasSuffix("=FILE"): self = .namedFile
    case let value? where value.contains("|"): self = .choice(value.split(separator: "|").map(String.init))
    case _?: self = .other
    }
  }
}

/// A command as a shell sees it.
struct CompletedCommand {
  /// One word, or two as in `token mint`.
  let words: [String]
  let summary: String
  /// What may stand behind it, where that is one of a few words.
  let operands: [String]
  let flags: [Flag]

  init(_ command: any Command.Type) {
    words = command.name.split(separator: " ").map(String.init)
    summary = command.summary
    let choices = command.operands.split(separator: "|")
    operands =
      choices.count > 1 ? choices.map { String($0.prefix { $0 != " " && $0 != "[" }) }.filter { !$0.isEmpty } : []
    flags = command.flags + FlagSection.everywhere.flags
  }

  static let all: [CompletedCommand] = Postern.commands.map { CompletedCommand($0) }

  /// The first words, each once, with what is told about it.
  static var firstWords: [(word: String, summary: String)] {
    var seen: [(word: String, summary: String)] = []
    for command in all {
      guard let word = command.words.first, !seen.contains(where: { $0.word == word }) else { continue }
      let family = all.filter { $0.words.first == word }.compactMap { $0.words.dropFirst().first }
      seen.append((word, family.isEmpty ? command.summary : family.joined(separator: ", ")))
    }
    return seen + [("help", "what a command does and which flags it has")]
  }

  /// The second words behind a first one that is no command by itself.
  static var families: [(word: String, commands: [CompletedCommand])] {
    var families: [(word: String, commands: [CompletedCommand])] = []
    for command in all where command.words.count > 1 {
      if let index = families.firstIndex(where: { $0.word == command.words[0] }) {
        families[index].commands.append(command)
      } else {
        families.append((command.words[0], [command]))
      }
    }
    return families
  }
}
