/// One of postern's commands.
protocol Command {
  /// The words that call it, e.g. `serve` or `token mint`.
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  /// What stands behind the flags, e.g. `[TOKEN]`; empty if nothing may.
  static var operands: String { get }
  /// A command line that works as it stands.
  static var example: String { get }
  /// Every flag, in the sections of the help.
  static var sections: [FlagSection] { get }
  /// The names of the ten flags, or fewer, that one needs first; the help begins with them. None for a command whose
  /// flags are few.
  static var neededFirst: [String] { get }

  /// What it does, one by one, each called by a word behind the command's; none for most commands.
  static var actions: [any Command.Type] { get }

  /// Does the work. Returns the exit status.
  static func run(_ arguments: Arguments) async throws -> Int32
}

extension Command {
  static var operands: String { "" }
  static var neededFirst: [String] { [] }
  static var actions: [any Command.Type] { [] }
  static var flags: [Flag] { sections.flatMap(\.flags) }
}

/// Flags that the help shows together, e.g. those of one vendor.
struct FlagSection: Sendable {
  let title: String
  let flags: [Flag]

  init(_ title: String, _ flags: [Flag]) {
    self.title = title
    self.flags = flags
  }

  /// What every command has.
  static let everywhere = FlagSection("everywhere", [.config, .help, .version])
}

/// One flag of a command. Its value comes from the command line, else from the environment variable, else from the
/// configuration file under the flag's name.
struct Flag: Sendable {
  /// Without the dashes.
  let name: String
  /// What stands for the value in the help; nil for a switch.
  let value: String?
  let help: String
  let repeats: Bool

  init(_ name: String, _ value: String?, _ help: String, repeats: Bool = false) {
    self.name = name
    self.value = value
    self.help = help
    self.repeats = repeats
  }

  /// `--refresh-timeout` is `POSTERN_REFRESH_TIMEOUT` in the environment.
  var environmentName: String {
    "POSTERN_" + name.uppercased().split(separator: "-").joined(separator: "_")
  }

  static let help = Flag("help", nil, "this text; -h is shorter")
  static let version = Flag("version", nil, "the version of postern")
  static let config = Flag("config", "FILE", "flags from a JSON file, comments allowed; keys are the flags' names")
}

/// A command line, an environment or a file that asks for what cannot be. Exit status 2.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// A key with a wrong value, and what would be right.
  init(_ source: String, value: String, expected: String) {
    description = "\(source): '\(value)' is wrong; expected \(expected)"
  }
}
