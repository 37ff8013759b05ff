import GatewayCore
import GatewayKit
import GatewayServer
import GatewaySpace
import GatewayTokens
import Glibc
import PosternTesting

/// The options that a hosted space may be set to: the options of `postern serve`, `refresh-timeout` for instance, but
/// for those that are of the process. What an order leaves out is as `serve` was told, but for keys: each space has its
/// own.
struct SpaceOptions: Sendable {
  /// What `serve` was told.
  private let base: Arguments
  /// The options that an order may name.
  private let known: [String: Flag]

  /// Those of the ports, of the process and of the space's own members.
  private static let ofProcess: Set<String> = [
    "host", "port", "control-host", "control-port", "control-secret-file", "control-allowed-host", "tls-certificate",
    "tls-key", "trusted-proxy", "proxy-protocol", "drain-window", "log-level", "log-format", "store", "spaces",
    "spaces-max", "loops", "end-with-input", "seed", "journal", "journal-payloads", "faults",
  ]

  /// The flags that name keys, and files of vendors' secrets: what serve was given is not for spaces.
  private static let keys =
    TokenKeys.flags.map(\.name) + Vendors.all.flatMap { $0.flags }.filter(\.namesFile).map(\.name)

  init(_ serve: Arguments) {
    var base = serve
    for name in Self.keys + ["spaces"] { base.given[name] = nil }
    self.base = base
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
    if flag.namesFile { for text in setting.values { try requireFile(text, of: flag) } }
    return setting.values.map { Arguments.Value(text: $0, source: "--\(flag.name)") }
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

  /// Whoever opens a pipe waits for who writes into it, and with it would every space.
  private func requireFile(_ text: String, of flag: Flag) throws {
    let path = flag.value == "FILE" ? text[...] : text.drop { $0 != "=" }.dropFirst()
    var status = stat()
    guard stat(String(path), &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
      throw UsageError("--\(flag.name): '\(path)' is no regular file")
    }
  }
}

extension Flag {
  /// Whether the value is a file's path, or ends with one.
  fileprivate var namesFile: Bool { value?.hasSuffix("FILE") == true }
}
