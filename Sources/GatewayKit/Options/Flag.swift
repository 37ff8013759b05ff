/// One flag of a command. Its value comes from the command line, else from the environment variable, else from the
/// configuration file under the flag's name.
package struct Flag: Sendable {
  /// The name without the dashes.
  package let name: String
  /// The placeholder of the value in the help; nil for a switch.
  package let value: String?
  package let help: String
  package let repeats: Bool

  package init(_ name: String, _ value: String?, _ help: String, repeats: Bool = false) {
    self.name = name
    self.value = value
    self.help = help
    self.repeats = repeats
  }

  /// The form in which the value names a file; nil if it does not.
  package var file: FileForm? {
    guard let value else { return nil }
    return value == "FILE" || value == "FILE|NAME" ? .path : value.hasSuffix("=FILE") ? .named : nil
  }

  /// The place of a file's path in a flag's value.
  package enum FileForm: Sendable {
    case path
    /// The path follows a name and `=`.
    case named
  }

  /// The environment variable of the flag, e.g. `POSTERN_REFRESH_TIMEOUT` for `--refresh-timeout`.
  package var environmentName: String {
    "POSTERN_" + name.uppercased().split(separator: "-").joined(separator: "_")
  }
}
