import GatewayCore
import GatewayKit
import GatewayServer
import GatewaySpace
import GatewayTokens
import PosternTesting

/// The options of a hosted space: those of `postern serve` but for the process's own.
///
/// An option that an order leaves out is as `serve` was told, but for keys: each space has its own.
struct SpaceOptions: Sendable {
  /// What `serve` was told.
  private let base: Arguments
  /// The folder whose files an order may name; nil for none.
  private let folder: SpaceFolder?
  /// The options that an order may name.
  private let known: [String: Flag]

  /// The options of the ports and the process, and those that are members of a space's order.
  private static let ofProcess: Set<String> = [
    "host", "port", "control-host", "control-port", "control-secret-file", "control-allowed-host", "tls-certificate",
    "tls-key", "trusted-proxy", "proxy-protocol", "drain-window", "log-level", "log-format", "store",
    "store-set-damaged-aside", "spaces",
    "spaces-max", "spaces-journal-max", "spaces-folder", "spaces-low-ports", "loops", "end-with-input", "seed",
    "journal", "journal-payloads",
    "faults",
  ]

  /// The flags that name keys, and files of vendors' secrets: what serve was given is not for spaces.
  private static let keys =
    TokenKeys.flags.map(\.name) + Vendors.all.flatMap { $0.flags }.filter { $0.file != nil }.map(\.name)

  init(_ serve: Arguments) {
    var base = serve
    for name in Self.keys + ["spaces"] { base.given[name] = nil }
    self.base = base
    folder = serve.string("spaces-folder").map { SpaceFolder(path: $0) }
    known = ServeFlags.all.reduce(into: [:]) { known, flag in
      if !Self.ofProcess.contains(flag.name) { known[flag.name] = flag }
    }
  }

  /// Reads what an order is set to. Throws a ``GatewayError`` that says what is wrong.
  func read(_ settings: [SpaceOrder.Setting]) throws -> SpacesSettings.Reading {
    do {
      return try reading(settings)
    } catch let error as UsageError {
      throw GatewayError.invalidParameter.detailed(String(error.description.prefix(Self.messageLengthMax)))
    }
  }

  /// Longer complaints are cut short: they repeat what was sent.
  private static let messageLengthMax = 4096

  private func reading(_ settings: [SpaceOrder.Setting]) throws -> SpacesSettings.Reading {
    var arguments = base
    // The secrets of serve's own description are not for another.
    if settings.contains(where: { Name($0.name) == Name("wire") }) { arguments.given["template-secret"] = nil }
    for setting in settings { arguments.given[setting.name] = try values(of: setting) }
    var secret: String?
    if ["secret", "secret-file", "key-file"].allSatisfy({ arguments.given[$0] == nil }) {
      // Long enough for every HMAC.
      let own = Base64URL.encode(Secrets.system.bytes(48))
      arguments.given["secret"] = [Arguments.Value(text: own, source: "secret")]
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

  /// A value that is text. In place of a file it is the name of a description that comes with postern, or nothing: no path
  /// of an order is looked at.
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

  /// A value that has a file's content.
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
