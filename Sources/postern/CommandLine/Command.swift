import GatewayKit

/// One of postern's commands, e.g. `token mint`.
protocol Command {
  /// The words that call the command, e.g. `serve` or `token mint`.
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  /// The operands that follow the flags, e.g. `[TOKEN]`; empty if the command takes none.
  static var operands: String { get }
  /// A command line that works without changes.
  static var example: String { get }
  /// Every flag, in the sections of the help.
  static var sections: [FlagSection] { get }
  /// The names of the flags that a new user needs first, at most ten. The help begins with them. Empty for a command with few
  /// flags.
  static var neededFirst: [String] { get }

  /// The environment variables that the command reads besides the variables of its flags.
  static var variables: [String] { get }

  /// The actions of the command, each called by a word after the command's name; empty for most commands.
  static var actions: [CommandPage] { get }

  /// Runs the command and returns the exit status.
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
  /// Returns the command lines of the commands that have the flag, separated by commas; nil if none has it.
  func owners(of flag: String) -> String? {
    let owners = filter { $0.flags.contains { $0.name == flag } }.map { "postern \($0.name)" }
    return owners.isEmpty ? nil : owners.joined(separator: ", ")
  }
}

/// The help and manual page of a command, or of an action of a command.
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

/// Flags that the help shows together, e.g. a vendor's flags.
struct FlagSection: Sendable {
  let title: String
  let flags: [Flag]

  init(_ title: String, _ flags: [Flag]) {
    self.title = title
    self.flags = flags
  }

  init<Settings>(_ title: String, _ options: [Option<Settings>]) {
    self.init(title, options.map(\.flag))
  }

  /// The flags of every command.
  static let everywhere = FlagSection(
    "everywhere",
    [
      config, Flag("help", nil, "print this help; -h prints a shorter one"),
      Flag("version", nil, "print the version of postern"),
    ])

  static let config = Flag(
    "config", "FILE", "a JSON file with values for flags; its keys are the flags' names, and comments are allowed")
}
