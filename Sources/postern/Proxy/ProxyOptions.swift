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
  /// The servers of `--also-to`.
  let others: [ProxyTarget]
  /// This proxy in `Via`.
  let via: String
  /// The fields that replace the client's on the way to the server of `--to`.
  let replacements: [HTTPField]
  /// The networks that clients may come from; nil for all.
  let networks: [IPNetwork]?
  let listener: Listener.Settings
  /// The authority for the hosts of tunnels; nil if clients may open none.
  let authority: TLSAuthority?
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
    others = targets.others.compactMap(targets.target)
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
    authority = try Self.authority(draft, target)
    listener = try Self.listener(draft, takesFaults: control != nil)
  }

  /// Reads the authority of `--ca`, which must be allowed to sign for the target.
  private static func authority(_ draft: ProxyDraft, _ target: ProxyTarget?) throws -> TLSAuthority? {
    guard let folder = draft.authority else { return nil }
    guard draft.tls.certificate == nil, draft.tls.key == nil else {
      throw UsageError("--ca makes the certificates itself, and goes without --tls-certificate and --tls-key")
    }
    let authority = try ProxyAuthority.read(folder)
    guard let host = target?.dial.host else { return authority }
    do {
      try authority.check(host)
    } catch {
      throw UsageError(
        "--ca \(folder.text): \(error); make one with postern proxy ca --name \(host) --out DIR")
    }
    return authority
  }

  /// Returns the tunnels to a target, or to nowhere; nil if no port has tunnels. Refused ones are reported.
  func tunnels(to target: ProxyTarget?, _ refusals: ProxyFailures) -> TunnelSettings? {
    authority.map {
      TunnelSettings(TunnelRules(to: target?.dial, from: networks) { refusals.report($0) }, $0)
    }
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
  ///   - target: The host that clients of tunnels name; nil for none.
  func guarding(_ name: String? = nil, to target: ProxyTarget?, addsSecrets: Bool) -> PageGuard {
    let tunnelled = authority == nil ? nil : target?.dial.host
    return PageGuard(
      hosts: [listener.host] + names + [name, tunnelled].compactMap { $0 }, takesAddresses: true,
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
