/// The commands in a shell's completion, each called by one or two words, such as `token mint`.
struct CompletedCommands {
  let all: [CompletedCommand]

  init(_ commands: [any Command.Type]) {
    all = commands.map { CompletedCommand($0) }
  }

  /// The first words, each once, with its summary.
  var firstWords: [(word: String, summary: String)] {
    var seen: [(word: String, summary: String)] = []
    for command in all {
      guard let word = command.words.first, !seen.contains(where: { $0.word == word }) else { continue }
      let family = all.filter { $0.words.first == word }.compactMap { $0.words.dropFirst().first }
      seen.append((word, family.isEmpty ? command.summary : family.joined(separator: ", ")))
    }
    return seen + [("help", "what a command does and which flags it has")]
  }

  /// The first words that are no commands by themselves, each with its commands of two words.
  var families: [(word: String, commands: [CompletedCommand])] {
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
