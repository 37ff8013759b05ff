import GatewayCore
import GatewayKit
import GatewayProxy
import GatewayRuntime
import GatewayServer

/// The flags of `postern proxy`, checked together.
struct ProxyOptions {
  let target: ProxyTarget
  let limits: ProxyLimits
  let fields: ForwardedFields
  let allowsStorms: Bool
  /// The networks that clients may come from; nil for all.
  let networks: [IPNetwork]?
  /// The guard against web pages, which can reach a port of this machine.
  let guarding: PageGuard
  let listener: Listener.Settings
  /// The seed of the faults, another in every process.
  let seed: UInt64
  /// The control port; nil for none.
  let control: ProxyControlOptions?
  /// The address of the target for people, e.g. `wss://realtime.example`.
  let targetText: String

  init(_ arguments: Arguments) throws {
    var draft = ProxyDraft()
    try arguments.read(ProxyFlags.options, into: &draft)
    try self.init(draft)
  }

  private init(_ draft: ProxyDraft) throws {
    let address = try Self.address(draft.to)
    let host = PinnedHost.plain(address.host)
    let isLocal = PinnedHost.isThisMachine(host)
    guard isLocal || Self.names(of: draft.proxied).contains(Name(host)) else {
      throw UsageError(
        "--to: \(host) is not this machine; if those who run it know of your test, add --i-may-proxy \(host)")
    }
    var dial = DialTarget(host: host, port: address.port ?? (address.isTLS ? 443 : 80), isTLS: address.isTLS)
    dial.identity = try Self.identity(draft)
    dial.allowsUntrustedCertificate = draft.allowsUntrusted
    if dial.allowsUntrustedCertificate, !isLocal {
      throw UsageError("--upstream-untrusted is for this machine; for \(host) give --upstream-ca FILE")
    }
    dial.addresses = try Self.pinned(host, isLocal: isLocal)
    target = ProxyTarget(dial, isLocal: isLocal)
    targetText = address.text
    limits = Self.limits(draft, isLocal: isLocal)
    fields = ForwardedFields(
      via: "1.1 postern-\(String(SystemRandomNumberGenerator.word, radix: 16))",
      replacing: try Self.fields(draft.headers))
    allowsStorms = Self.names(of: draft.stormed).contains(Name(host))
    networks = draft.networks.isEmpty ? nil : draft.networks
    seed = UInt64(SystemRandomNumberGenerator.word)
    control = try ProxyControlOptions(draft.control, proxied: draft.proxied)
    listener = try Self.listener(draft, takesFaults: control != nil)
    let addsSecrets = dial.identity?.certificatePath != nil || !fields.replacements.isEmpty
    guarding = PageGuard(
      hosts: [listener.host] + draft.names, takesAddresses: true, pages: addsSecrets ? .ofThisMachine : .any)
  }

  // MARK: The target

  /// The parts of `--to`.
  private struct Address {
    let host: String
    let port: Int?
    let isTLS: Bool
    let text: String
  }

  private static func address(_ value: Arguments.Value?) throws -> Address {
    guard let value else {
      throw UsageError("--to is needed: the address of the real gateway, e.g. --to ws://127.0.0.1:3000")
    }
    let text = value.text
    guard text.contains(bytesOf: "://") else {
      throw UsageError("\(value.source) \(text): no scheme; write wss://\(text) (or ws://, https://, http://)")
    }
    guard let url = WebAddress(text), ["ws", "wss", "http", "https"].contains(url.scheme), url.port != 0, !url.hasUser
    else {
      throw UsageError(
        value.source, value: text, expected: "an address as wss://realtime.example or http://127.0.0.1:3000")
    }
    guard ["", "/"].contains(url.path), url.query == nil, !url.hasFragment else {
      throw UsageError(
        "\(value.source) \(text): the path is the client's; leave out everything behind the host and the port")
    }
    let isTLS = ["wss", "https"].contains(url.scheme)
    let host = url.host.contains(":") ? "[\(url.host)]" : url.host
    return Address(
      host: url.host, port: url.port, isTLS: isTLS,
      text: "\(isTLS ? "wss" : "ws")://\(host)\(url.port.map { ":\($0)" } ?? "")")
  }

  static func names(of hosts: [Arguments.Value]) -> Set<Name> {
    Set(hosts.map { Name(PinnedHost.plain($0.text)) })
  }

  /// Returns the addresses that the proxy uses to its end; empty for what needs no name service.
  static func pinned(_ host: String, isLocal: Bool) throws -> [String] {
    if PinnedHost.isBelowLocalhost(host) { return ["127.0.0.1", "::1"] }
    guard !isLocal else { return [] }
    do {
      return try NameService.addresses(of: host)
    } catch {
      throw UsageError("--to: \(error)")
    }
  }

  private static func identity(_ draft: ProxyDraft) throws -> TLSIdentity? {
    let certificate = try draft.identity.files("upstream")
    guard certificate != nil || draft.authorityPath != nil else { return nil }
    let identity = TLSIdentity(
      caPath: draft.authorityPath, certificatePath: certificate?.certificatePath, keyPath: certificate?.keyPath)
    do {
      try identity.check()
    } catch {
      throw UsageError("--upstream-ca, --upstream-certificate, --upstream-key: \(error)")
    }
    return identity
  }

  private static func fields(_ values: [Arguments.Value]) throws -> [HTTPField] {
    var fields: [HTTPField] = []
    for value in values {
      let parts = value.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].lowercased()
      guard parts.count == 2, isName(name), parts[1].utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
        throw UsageError(value.source, value: value.text, expected: "a field as Origin=https://app.example")
      }
      guard !kept.contains(name), !name.hasPrefix("sec-websocket-") else {
        throw UsageError("\(value.source): the proxy sets \(name) itself")
      }
      fields.removeAll { Name($0.name) == Name(name) }
      fields.append(HTTPField(name, String(parts[1])))
    }
    return fields
  }

  /// The fields that belong to one connection or one message.
  private static let kept: Set<String> = [
    "connection", "upgrade", "content-length", "transfer-encoding", "te", "trailer", "expect", "via",
  ]

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
  }

  // MARK: Limits and the listener

  private static func limits(_ draft: ProxyDraft, isLocal: Bool) -> ProxyLimits {
    var limits = isLocal ? ProxyLimits.local : .careful
    if let number = draft.connectionsMax { limits.connections = number }
    if let rate = draft.dialsPerSecond { limits.dialsPerSecond = rate }
    if let rate = draft.requestsPerSecond { limits.requestsPerSecond = rate }
    if let rate = draft.bytesPerSecond { limits.bytesPerSecond = rate }
    return limits
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
