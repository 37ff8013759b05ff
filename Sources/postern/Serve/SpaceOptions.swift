import GatewayCore
import GatewayKit
import GatewayProcess
import GatewayServer
import GatewaySpace
import GatewayTokens

/// The options for a hosted space: the options of `postern serve`, except the whole process's own.
///
/// An order inherits the options of `serve` that it leaves out, but no keys: each space has its own.
struct SpaceOptions: Sendable {
  /// The options of `serve`.
  private let base: Arguments
  /// The folder whose files an order may name; nil for none.
  private let folder: SpaceFolder?
  /// The options that an order may name.
  private let known: [String: Flag]

  /// The options of the ports, of the process, and of the space's own members.
  private static let ofProcess: Set<String> = [
    "host", "port", "control-host", "control-port", "control-secret-file", "control-allowed-host", "tls-certificate",
    "tls-key", "trusted-proxy", "proxy-protocol", "drain-window", "log-level", "log-format", "store",
    "store-set-damaged-aside", "node-name", "spaces",
    "spaces-max", "spaces-journal-max", "spaces-folder", "spaces-low-ports", "loops", "end-with-input", "seed",
    "journal", "journal-payloads",
    "faults", "jwks", "oidc", "identity-ca",
  ]

  /// The flags that name keys or files with vendors' secrets; spaces do not inherit them.
  private static let keys =
    TokenKeys.flags.map(\.name) + Vendors.all.flatMap { $0.flags }.filter { $0.file != nil }.map(\.name)

  /// - Parameters:
  ///   - serve: The options of `serve`.
  ///   - folder: The folder whose files an order may name; nil for none.
  init(_ serve: Arguments, folder: SpaceFolder?) {
    var base = serve
    for name in Self.keys + ["spaces", "jwks", "oidc", "identity-ca"] { base.given[name] = nil }
    self.base = base
    self.folder = folder
    known = ServeFlags.all.reduce(into: [:]) { known, flag in
      if !Self.ofProcess.contains(flag.name) { known[flag.name] = flag }
    }
  }

  /// Reads the settings of an order. Throws a ``GatewayError`` with the reason.
  func read(_ settings: [SpaceOrder.Setting]) throws -> SpacesSettings.Reading {
    do {
      return try reading(settings)
    } catch let error as UsageError {
      throw GatewayError.invalidParameter.detailed(String(error.description.prefix(Self.messageLengthMax)))
    }
  }

  /// The maximum length of an error message; longer ones are truncated, since they repeat the input.
  private static let messageLengthMax = 4096

  private func reading(_ settings: [SpaceOrder.Setting]) throws -> SpacesSettings.Reading {
    var arguments = base
    // The secrets of serve's own description must not reach another description.
    if settings.contains(where: { Name($0.name) == Name("wire") }) {
      arguments.given[ServeFlags.templateSecret.flag.name] = nil
    }
    for setting in settings { arguments.given[setting.name] = try values(of: setting) }
    var secret: String?
    if !TokenKeys.areNamed(in: arguments) {
      // Long enough for every HMAC.
      let own = Base64URL.encode(Secrets.system.bytes(48))
      TokenKeys.set(secret: own, in: &arguments)
      secret = own
    }
    let options = try ServeOptions(arguments)
    let hasLimit = settings.contains { $0.name == "connections-max" }
    return SpacesSettings.Reading(
      options.settings, secret: secret, connectionsMax: hasLimit ? options.settings.limits.connectionsMax : nil)
  }

  private func values(of setting: SpaceOrder.Setting) throws -> [Arguments.Value] {
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
    if Self.ofProcess.contains(name) {
      return UsageError("settings: '\(name)' is the whole process's, and no space can set it")
    }
    let near = Suggestion.near(name, among: known.keys).map { "'\($0)'" }
    return UsageError(
      "settings: '\(name.prefix(64))': no option of postern serve is called so"
        + (near.isEmpty ? "; there is \(known.keys.sorted().joined(separator: ", "))" : Suggestion.question(near)))
  }
}
