import GatewayCore
import GatewayKit
import GatewaySpace

/// The options of a command that an order for a space may set, and the reader of their values.
struct OrderedSettings: Sendable {
  /// The options that an order may name.
  private let known: [String: Flag]
  /// The names of the other options of the command, which are the whole process's.
  private let ofProcess: Set<String>
  private let command: String
  /// The folder whose files an order may name; nil for none.
  private let folder: SpaceFolder?

  /// - Parameters:
  ///   - flags: The flags of the command.
  ///   - ofProcess: The names of flags that no order may set.
  ///   - command: The name of the command.
  ///   - folder: The folder whose files an order may name; nil for none.
  init(_ flags: [Flag], ofProcess: Set<String>, command: String, folder: SpaceFolder?) {
    known = flags.reduce(into: [:]) { known, flag in
      if !ofProcess.contains(flag.name) { known[flag.name] = flag }
    }
    self.ofProcess = ofProcess
    self.command = command
    self.folder = folder
  }

  /// Does `body`, and throws a ``GatewayError`` in place of a ``UsageError``.
  static func reading<Reading>(_ body: () throws -> Reading) throws -> Reading {
    do {
      return try body()
    } catch let error as UsageError {
      throw GatewayError.invalidParameter.detailed(String(error.description.prefix(messageLengthMax)))
    }
  }

  /// The maximum length of an error message; longer ones are truncated, since they repeat the input.
  private static let messageLengthMax = 4096

  /// Returns the values of a setting. Throws a ``UsageError`` if an order may not have it.
  func values(of setting: SpaceOrder.Setting) throws -> [Arguments.Value] {
    guard let flag = known[setting.name], Name(flag.name) == Name(setting.name) else { throw unknown(setting.name) }
    guard flag.repeats || !setting.isArray else {
      throw UsageError("settings: '\(flag.name)' takes one value, no array")
    }
    return try setting.values.map { value in
      switch value {
      case .text(let text): return try self.text(text, of: flag)
      case .content(let content, let name): return try file(Array(content.utf8), name, of: flag)
      case .file(let file, let name):
        guard let folder else {
          throw UsageError(
            "--\(flag.name): no folder of files is set aside for orders (--spaces-folder); send the content")
        }
        return try self.file(try folder.read(file, of: flag), name, of: flag)
      }
    }
  }

  /// Returns a textual value. For a flag that takes a file it may only name a shipped description: paths in an order are not
  /// opened.
  private func text(_ text: String, of flag: Flag) throws -> Arguments.Value {
    let source = "--\(flag.name)"
    guard let form = flag.file else { return Arguments.Value(text: text, source: source, files: .order(content: nil)) }
    if flag.name == "wire", let path = WireFile.shipped(text) { return Arguments.Value(text: path, source: source) }
    let shape = form == .named ? #"{"name": NAME, "content": TEXT}"# : #"{"content": TEXT}"#
    throw UsageError(
      "settings: '\(flag.name)' takes no path: send the file's content, \(shape), or the name of a file below "
        + "--spaces-folder in place of the content, \"file\": NAME"
        + (flag.name == "wire" ? ", or the name of a wire of Deploy/wires" : ""))
  }

  /// Returns a value with the content of a file.
  private func file(_ content: [UInt8], _ name: String?, of flag: Flag) throws -> Arguments.Value {
    guard let form = flag.file else { throw UsageError("settings: '\(flag.name)' takes text, and no file") }
    guard (name == nil) == (form == .path), name?.isEmpty != true, name?.utf8.contains(UInt8(ascii: "=")) != true else {
      throw UsageError(
        form == .path
          ? "settings: '\(flag.name)' takes a content without a name"
          : "settings: '\(flag.name)' takes a content with a \"name\", which is not empty and has no =")
    }
    return Arguments.Value(
      text: name.map { "\($0)=content" } ?? "content", source: "--\(flag.name)", files: .order(content: content))
  }

  private func unknown(_ name: String) -> UsageError {
    if ofProcess.contains(name) {
      return UsageError("settings: '\(name)' is the whole process's, and no space can set it")
    }
    let near = Suggestion.near(name, among: known.keys).map { "'\($0)'" }
    return UsageError(
      "settings: '\(name.prefix(64))': no option of postern \(command) is called so"
        + (near.isEmpty ? "; there is \(known.keys.sorted().joined(separator: ", "))" : Suggestion.question(near)))
  }
}
