import GatewayCore
import GatewayKit
import GatewayProxy
import GatewayRuntime
import GatewayServer

/// The servers that a proxy may lead to: the hosts that its command line names, and this machine.
///
/// Their addresses are found once, at the start. Nobody who reaches the control port reaches another host.
struct ProxyTargets: Sendable {
  /// The address of `--to`; nil for none.
  let own: ProxyAddress?
  /// The addresses of `--also-to`.
  let others: [ProxyAddress]
  private let pinned: [PinnedHost]
  /// The hosts of `--i-may-proxy`.
  private let named: Set<Name>
  private let storms: Set<Name>
  private let identity: TLSIdentity?
  private let authorityPath: String?
  private let allowsUntrusted: Bool
  private let limits: @Sendable (_ isLocal: Bool) -> ProxyLimits

  /// - Parameters:
  ///   - draft: The flags.
  ///   - isHosting: Whether orders choose among the hosts, so that the address of each is needed.
  init(_ draft: ProxyDraft, isHosting: Bool) throws {
    own = try draft.to.map(ProxyAddress.init)
    authorityPath = draft.authorityPath
    identity = try Self.identity(draft)
    allowsUntrusted = draft.allowsUntrusted
    storms = Set(draft.stormed.map { Name(PinnedHost.plain($0.text)) })
    limits = { Self.limits(draft, isLocal: $0) }
    let named = draft.proxied.map { PinnedHost.plain($0.text) }
    self.named = Set(named.map { Name($0) })
    others = try ProxyAddress.others(draft.others, own)
    for (flag, host) in (own.map { [("--to", $0.host)] } ?? []) + others.map({ ("--also-to", $0.host) }) {
      guard !PinnedHost.isThisMachine(host) else { continue }
      guard named.contains(where: { Name($0) == Name(host) }) else {
        throw UsageError(
          "\(flag): \(host) is not this machine; if those who run it know of your test, add --i-may-proxy \(host)")
      }
      guard !allowsUntrusted else {
        throw UsageError("--upstream-untrusted is for this machine; for \(host) give --upstream-ca FILE")
      }
    }
    let addressed = ([own].compactMap(\.self) + others).map { Name($0.host) }
    var pinned: [PinnedHost] = []
    for host in named where !PinnedHost.isThisMachine(host) && !pinned.contains(where: { Name($0.host) == Name(host) })
    {
      guard isHosting || addressed.contains(Name(host)) else { continue }
      do {
        pinned.append(PinnedHost(host: host, addresses: try NameService.addresses(of: host)))
      } catch {
        throw UsageError(
          "\(own.map { Name($0.host) == Name(host) } == true ? "--to" : "--i-may-proxy \(host)"): \(error)")
      }
    }
    self.pinned = pinned
  }

  /// Returns the server of that address; nil if its host is not this machine and not named.
  func target(_ address: ProxyAddress) -> ProxyTarget? {
    let isLocal = PinnedHost.isThisMachine(address.host)
    let host = pinned.first { Name($0.host) == Name(address.host) }
    guard isLocal || host != nil else { return nil }
    var dial = DialTarget(host: address.host, port: address.port, isTLS: address.isTLS)
    dial.allowsUntrustedCertificate = allowsUntrusted && isLocal
    // The proxy's certificate is shown to the server of --to only.
    dial.identity =
      isOwn(address) ? identity : authorityPath.map { TLSIdentity(caPath: $0, certificatePath: nil, keyPath: nil) }
    dial.addresses = host?.addresses ?? (PinnedHost.isBelowLocalhost(address.host) ? ["127.0.0.1", "::1"] : [])
    return ProxyTarget(dial, isLocal: isLocal)
  }

  /// Returns whether the address is that of `--to`, which gets the fields and the certificate of the command line.
  func isOwn(_ address: ProxyAddress) -> Bool {
    own.map { Name($0.host) == Name(address.host) && $0.port == address.port && $0.isTLS == address.isTLS } == true
  }

  /// Returns whether the command line names the host.
  func names(_ host: String) -> Bool { named.contains(Name(host)) || own.map { Name($0.host) == Name(host) } == true }

  /// Returns whether storms may reach that host.
  func allowsStorms(to host: String) -> Bool { storms.contains(Name(host)) }

  /// Whether the proxy presents its own certificate.
  var showsCertificate: Bool { identity?.certificatePath != nil }

  /// Returns the limits of the load on a host.
  func limits(for target: ProxyTarget) -> ProxyLimits { limits(target.isLocal) }

  /// The hosts for people, with their addresses.
  var text: String {
    (["this machine"] + pinned.map { "\($0.host) (\($0.addresses.joined(separator: ", ")))" }).joined(separator: ", ")
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

  private static func limits(_ draft: ProxyDraft, isLocal: Bool) -> ProxyLimits {
    var limits = isLocal ? ProxyLimits.local : .careful
    if let number = draft.connectionsMax { limits.connections = number }
    if let rate = draft.dialsPerSecond { limits.dialsPerSecond = rate }
    if let rate = draft.requestsPerSecond { limits.requestsPerSecond = rate }
    if let rate = draft.bytesPerSecond { limits.bytesPerSecond = rate }
    return limits
  }
}
