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
  private let ordered: OrderedSettings

  /// The options of the ports, of the process, and of the space's own members.
  private static let ofProcess: Set<String> = identity.union([
    "host", "port", "control-host", "control-port", "control-secret-file", "control-allowed-host", "tls-certificate",
    "tls-key", "trusted-proxy", "proxy-protocol", "drain-window", "log-level", "log-format", "store",
    "store-set-damaged-aside", "node-name", "spaces",
    "spaces-max", "spaces-journal-max", "spaces-folder", "spaces-low-ports", "loops", "end-with-input", "seed",
    "journal", "journal-payloads",
    "faults",
  ])

  /// The flags for the application's own servers, which are the process's alone.
  private static let identity =
    Set(IdentityDraft.options.map(\.flag.name)).subtracting(["token-revocation"])
    .union(TracesDraft.options.map(\.flag.name))

  /// The flags that name keys or files with vendors' secrets; spaces do not inherit them.
  private static let keys =
    TokenKeys.flags.map(\.name) + Vendors.all.flatMap { $0.flags }.filter { $0.file != nil }.map(\.name)

  /// - Parameters:
  ///   - serve: The options of `serve`.
  ///   - folder: The folder whose files an order may name; nil for none.
  init(_ serve: Arguments, folder: SpaceFolder?) {
    var base = serve
    for name in Self.keys + ["spaces"] + Self.identity { base.given[name] = nil }
    self.base = base
    ordered = OrderedSettings(
      ServeFlags.all, ofProcess: Self.ofProcess, command: ServeCommand.name, folder: folder)
  }

  /// Reads the settings of an order. Throws a ``GatewayError`` with the reason.
  func read(_ settings: [SpaceOrder.Setting]) throws -> SpacesSettings.Reading {
    try OrderedSettings.reading { try reading(settings) }
  }

  private func reading(_ order: [SpaceOrder.Setting]) throws -> SpacesSettings.Reading {
    var arguments = base
    // The secrets of serve's own description must not reach another description.
    if order.contains(where: { Name($0.name) == Name("wire") }) {
      arguments.given[ServeFlags.templateSecret.flag.name] = nil
    }
    for setting in order { arguments.given[setting.name] = try ordered.values(of: setting) }
    var secret: String?
    if !TokenKeys.areNamed(in: arguments) {
      // Long enough for every HMAC.
      let own = Base64URL.encode(Secrets.system.bytes(48))
      TokenKeys.set(secret: own, in: &arguments)
      secret = own
    }
    let options = try ServeOptions(arguments)
    var settings = options.settings
    // Traces are the process's own gateway's, even if a variable asks for them.
    settings.space.telemetry = nil
    let hasLimit = order.contains { $0.name == "connections-max" }
    return SpacesSettings.Reading(
      settings, secret: secret, connectionsMax: hasLimit ? options.settings.limits.connectionsMax : nil)
  }
}
