import GatewayControl
import GatewayCore
import GatewayKit
import GatewayProxy
import GatewayRuntime
import GatewayServer
import GatewaySpace
import GatewayTokens
import GatewayWires

/// The control port of a proxy, as its flags say.
struct ProxyControlOptions: Sendable {
  let host: String
  let secret: String?
  /// Whether only this machine reaches the port.
  let isLocal: Bool
  private let port: Int
  private let allowedHosts: [String]
  private let keepsPayloads: Bool
  /// The wire that gives messages their meaning; nil for none.
  let wire: ProxyWire?
  /// The application's token endpoint; nil if none is named.
  let tokens: ProxyTokenOptions?

  private static let connectionsMax = 256

  /// Checks the flags; nil without a control port.
  ///
  /// - Parameters:
  ///   - draft: The values.
  ///   - proxied: The values of `--i-may-proxy`.
  init?(_ draft: ProxyControlDraft, proxied: [Arguments.Value]) throws {
    guard let port = draft.port else {
      if let source = draft.source { throw UsageError("\(source) needs --control-port; give it too") }
      return nil
    }
    self.port = port
    host = draft.host?.text ?? "127.0.0.1"
    secret = draft.secret?.value
    allowedHosts = draft.allowedHosts.map(\.text)
    keepsPayloads = draft.keepsPayloads?.value == true
    wire = try Self.wire(draft)
    tokens = try ProxyTokenOptions(draft, proxied: proxied)
    isLocal = PinnedHost.isThisMachine(PinnedHost.plain(host))
    guard secret != nil || isLocal else {
      throw UsageError("--control-host \(host) is not loopback: give a --control-secret-file")
    }
  }

  /// Returns what says what messages mean, by a wire or a dialect; nil if none is named.
  static func wire(_ draft: ProxyControlDraft) throws -> ProxyWire? {
    if let wire = draft.wire, let dialect = draft.dialect {
      throw UsageError("\(wire.source) and \(dialect.source) are both given; remove one")
    }
    return try draft.wire.map(Self.wire) ?? draft.dialect.map(Self.dialect)
  }

  /// Returns what a built-in dialect says that messages mean. Throws a ``UsageError`` if it is none.
  static func dialect(_ value: Arguments.Value) throws -> ProxyWire {
    let known = Vendors.all.filter { !$0.readers.isEmpty }
    guard let vendor = known.first(where: { Name($0.scheme) == Name(value.text) }) else {
      throw UsageError(value.source, value: value.text, oneOf: known.map { $0.scheme })
    }
    return ProxyWire(vendor.scheme, vendor.readers)
  }

  /// Reads what says what messages mean. Throws a ``UsageError`` with the fault in it.
  static func wire(_ value: Arguments.Value) throws -> ProxyWire {
    let wire = try WireFile.read(value)
    do {
      return ProxyWire(try ServedDialect(reading: wire))
    } catch {
      throw UsageError("\(error)")
    }
  }

  /// Makes the journal and the faults. Only on the loop.
  func control(on loop: EventLoop, seed: UInt64) -> ProxyControl {
    ProxyControl(
      on: loop, wire: wire, tokens: tokens.map { TokenSightings($0.watch, at: $0.target, on: loop) },
      payloadBytes: keepsPayloads ? HostedLimits().journalPayloadBytes : nil, seed: seed,
      log: OperatorLog(level: .info, format: .text).gateway)
  }

  /// Starts to listen. `drain` is called, on the loop, with the window of an order to drain.
  func listen(
    _ parts: ProxyParts, _ limits: ServerLimits, on loop: SocketLoop,
    drain: @escaping @Sendable (Duration?) -> Void
  ) async throws -> Listener {
    var settings = Listener.Settings(host: host, port: port)
    settings.limits = limits
    settings.limits.connectionsMax = Self.connectionsMax
    settings.takesLastDescriptors = true
    settings.unreadMakesRoom = true
    let orders = parts.orders
    let site = ControlSite(
      proxy: parts.route, faults: parts.control?.faults, refusing: Self.refused, secret: secret,
      hosts: [host] + allowedHosts,
      spaces: parts.spaces,
      on: loop.events, log: { orders.write($0, $1, $2) }, newKey: { Base64URL.encode(Secrets.system.bytes(32)) },
      drain: drain)
    return try await Listener.start(settings, serving: site, on: [loop])
  }

  /// The orders that only a gateway carries out.
  private static let refused = [
    RefusedOrder(
      "POST", "/revocations",
      .notOurs.detailed(
        "it keeps its own revocations; refuse_upgrade, close_as and answer_with look the same to a client")),
    RefusedOrder("GET", "/horizon", .needsWire.detailed("when tokens expire is not known")),
    RefusedOrder("POST", "/horizon/spread", .needsWire.detailed("when tokens expire is not known")),
    RefusedOrder("GET", "/settings", .notOurs.detailed("it has the settings")),
    RefusedOrder("GET", "/metrics", .notOurs.detailed("it has the metrics; the journal has what passed this proxy")),
  ]
}
