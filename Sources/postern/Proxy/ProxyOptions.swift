import GatewayCore
import GatewayKit
import GatewayProxy
import GatewayRuntime
import GatewayServer

/// The flags of `postern proxy`, checked together.
struct ProxyOptions: Sendable {
  let targets: ProxyTargets
  /// The server of `--to`; nil for none.
  let target: ProxyTarget?
  /// This proxy in `Via`.
  let via: String
  /// The fields that replace the client's on the way to the server of `--to`.
  let replacements: [HTTPField]
  /// The networks that clients may come from; nil for all.
  let networks: [IPNetwork]?
  let listener: Listener.Settings
  /// The seed of the faults, another in every process.
  let seed: UInt64
  /// The control port; nil for none.
  let control: ProxyControlOptions?
  /// The routes that orders make; nil if none may be made.
  let routes: RouteOptions?
  /// The recording of the own route; nil for none.
  let recording: RecordingOptions?
  /// Whether the process ends with its standard input.
  let endsWithInput: Bool
  private let names: [String]

  init(_ arguments: Arguments) throws {
    var draft = ProxyDraft()
    try arguments.read(ProxyFlags.options, into: &draft)
    try self.init(draft)
  }

  private init(_ draft: ProxyDraft) throws {
    guard draft.to != nil || draft.hostsSpaces else {
      throw UsageError("--to is needed: the address of the real gateway, e.g. --to ws://127.0.0.1:3000")
    }
    targets = try ProxyTargets(draft, isHosting: draft.hostsSpaces)
    target = targets.own.flatMap(targets.target)
    via = "1.1 postern-\(String(SystemRandomNumberGenerator.word, radix: 16))"
    replacements = try ReplacedFields.read(draft.headers)
    networks = draft.networks.isEmpty ? nil : draft.networks
    names = draft.names
    endsWithInput = draft.endsWithInput
    seed = Self.newSeed()
    control = try ProxyControlOptions(draft.control, proxied: draft.proxied)
    guard target != nil || control?.tokens == nil else {
      throw UsageError("--tokens and --token-route go with --to: each route of --spaces has them in its own settings")
    }
    guard control != nil || !draft.hostsSpaces else {
      throw UsageError("--spaces needs --control-port, which makes the routes; give it too")
    }
    recording = try RecordingOptions(draft)
    routes = draft.hostsSpaces ? RouteOptions(draft.spaces) : nil
    listener = try Self.listener(draft, takesFaults: control != nil)
  }

  /// Returns a seed of the system's.
  static func newSeed() -> UInt64 { UInt64(SystemRandomNumberGenerator.word) }

  /// Returns the limits of the proxy's own route.
  var limits: ProxyLimits { target.map(targets.limits) ?? .local }

  /// Returns the guard against web pages, which can reach a port of this machine.
  ///
  /// - Parameters:
  ///   - name: One more name of the port; nil for none.
  ///   - addsSecrets: Whether the proxy adds fields or a certificate to requests.
  func guarding(_ name: String? = nil, addsSecrets: Bool) -> PageGuard {
    PageGuard(
      hosts: [listener.host] + names + (name.map { [$0] } ?? []), takesAddresses: true,
      pages: addsSecrets ? .ofThisMachine : .any)
  }

  private static func listener(_ draft: ProxyDraft, takesFaults: Bool) throws -> Listener.Settings {
    guard !draft.networks.isEmpty || PinnedHost.isThisMachine(PinnedHost.plain(draft.host)) else {
      throw UsageError(
        "--host \(draft.host): everybody could reach the target through this proxy; add --allow-from NETWORK")
    }
    var settings = Listener.Settings(host: draft.host, port: draft.port)
    settings.tls = try draft.tls.files("tls")
    settings.limits.headerBytesMax = 32_000
    settings.limits.messageBytesMax = draft.messageBytesMax
    // An end that stops reading has this much before it: the mark, one message, and the rest of one read.
    settings.limits.outboundBytesMax = settings.limits.messageBytesMax + (1 << 20)
    // A fault may double all of it.
    if takesFaults { settings.limits.outboundBytesMax *= 2 }
    return settings
  }
}

extension SystemRandomNumberGenerator {
  /// A random number of 32 bits.
  fileprivate static var word: UInt32 {
    var system = SystemRandomNumberGenerator()
    return system.next()
  }
}
