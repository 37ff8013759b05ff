/// One flag of a command, `--port` for instance. Its value comes from the command line, else from the environment
/// variable, else from the configuration file under the flag's name.
package struct Flag: Sendable {
  /// Without the dashes.
  package let name: String
  /// What stands for the value in the help; nil for a switch.
  package let value: String?
  package let help: String
  package let repeats: Bool

  package init(_ name: String, _ value: String?, _ help: String, repeats: Bool = false) {
    self.name = name
    self.value = value
    self.help = help
    self.repeats = repeats
  }

  /// Whether the value is a file's path, or a name, = and a file's path.
  package var file: FileForm? {
    guard let value else { return nil }
    return value == "FILE" || value == "FILE|NAME" ? .path : value.hasSuffix("=FILE") ? .named : nil
  }

  /// The place of a file's path in a flag's value.
  package enum FileForm: Sendable {
    case path
    /// Behind a name and =.
    case named
  }

  /// `--refresh-timeout` is `POSTERN_REFRESH_TIMEOUT` in the environment.
  package var environmentName: String {
    "POSTERN_" + name.uppercased().split(separator: "-").joined(separator: "_")
  }
}
