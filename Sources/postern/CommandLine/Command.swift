import GatewayKit

/// One of postern's commands, e.g. `token mint`.
protocol Command {
  /// The words that call it, e.g. `serve` or `token mint`.
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  /// The operands behind the flags, e.g. `[TOKEN]`; empty for none.
  static var operands: String { get }
  /// A command line that works as it stands.
  static var example: String { get }
  /// Every flag, in the sections of the help.
  static var sections: [FlagSection] { get }
  /// The names of the ten flags, or fewer, that one needs first; the help begins with them. None for a command whose
  /// flags are few.
  static var neededFirst: [String] { get }

  /// The variables of the environment that it reads beside those of its flags.
  static var variables: [String] { get }

  /// The command's actions, each called by a word behind the command's; none for most commands.
  static var actions: [CommandPage] { get }

  /// Does the work. Returns the exit status.
  static func run(_ arguments: Arguments) async throws -> Int32
}

extension Command {
  static var operands: String { "" }
  static var neededFirst: [String] { [] }
  static var variables: [String] { [] }
  static var actions: [CommandPage] { [] }
  static var flags: [Flag] { sections.flatMap(\.flags) }

  static var page: CommandPage {
    CommandPage(
      name: name, summary: summary, operands: operands, example: example, sections: sections, neededFirst: neededFirst,
      actions: actions)
  }
}

extension [any Command.Type] {
  /// Returns the commands that have the flag, by their names; nil if none has.
  func owners(of flag: String) -> String? {
    let owners = filter { $0.flags.contains { $0.name == flag } }.map { "postern \($0.name)" }
    return owners.isEmpty ? nil : owners.joined(separator: ", ")
  }
}

/// A command, or an action of one, as the help and the manual page describe it.
struct CommandPage {
  let name: String
  let summary: String
  let operands: String
  let example: String
  let sections: [FlagSection]
  var neededFirst: [String] = []
  var actions: [CommandPage] = []

  var flags: [Flag] { sections.flatMap(\.flags) }
}

/// Flags that the help shows together, e.g. those of one vendor.
struct FlagSection: Sendable {
  let title: String
  let flags: [Flag]

  init(_ title: String, _ flags: [Flag]) {
    self.title = title
    self.flags = flags
  }

  /// The flags of every command.
  static let everywhere = FlagSection(
    "everywhere",
    [
      config, Flag("help", nil, "this text; -h is shorter"), Flag("version", nil, "the version of postern"),
    ])

  static let config = Flag("config", "FILE", "flags from a JSON file, comments allowed; keys are the flags' names")
}
