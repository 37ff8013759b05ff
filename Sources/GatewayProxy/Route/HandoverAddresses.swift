internal import GatewayCore
internal import GatewayRuntime

/// The addresses to which a gateway may send its clients, and the addresses that they have at the proxy.
///
/// The first target has the proxy's own address. Another target is found below a path, e.g. `/postern-target-2/ws`.
struct HandoverAddresses: Sendable {
  let targets: [ProxyTarget]

  private static let pathStart = "/postern-target-"
  /// A longer address is left.
  private static let sizeMax = 8192

  /// The proxy as a client sees it: its host with the port, and the path of the client's target.
  struct Outside: Sendable {
    let host: String?
    let isSecure: Bool
    let mount: String
    /// The number of the client's target, from 0.
    let target: Int

    init(_ upgrade: HTTPRequest, target: Int) {
      host = upgrade.header("host")
      (isSecure, mount, self.target) = (upgrade.isSecure, upgrade.mount, target)
    }
  }

  /// What becomes of an address.
  enum Outcome: Hashable {
    /// Of a target, under this address; nil if it leads there as it is.
    case led(to: Int, as: String?)
    case left(Reason)
  }

  /// Why an address is left as it is.
  enum Reason: String, Hashable {
    /// Its host is no target of the proxy.
    case hostNotNamed = "host_not_named"
    /// It has no path that could name another target than the first.
    case noPath = "no_path"
    case noAddress = "no_address"
  }

  /// Returns the number of the target that a request is for, and the request as the target sees it.
  func place(of request: HTTPRequest) -> (target: Int, HTTPRequest) {
    guard targets.count > 1, request.path.utf8.starts(with: Self.pathStart.utf8) else { return (0, request) }
    let rest = request.path.utf8.dropFirst(Self.pathStart.utf8.count)
    let digits = rest.prefix { $0 != UInt8(ascii: "/") }
    guard let number = Int(String(Substring(digits))), (2...targets.count).contains(number),
      Self.path(of: number - 1).utf8.count == request.path.utf8.count - rest.count + digits.count
    else { return (0, request) }
    var inner = request
    let prefix = Self.path(of: number - 1).utf8
    inner.path = String(Substring(rest.dropFirst(digits.count)))
    if inner.path.isEmpty { inner.path = "/" }
    inner.rawTarget = request.rawTarget.flatMap { target in
      guard target.utf8.starts(with: prefix) else { return nil }
      let rest = String(Substring(target.utf8.dropFirst(prefix.count)))
      return rest.utf8.first == UInt8(ascii: "/") ? rest : "/" + rest
    }
    return (number - 1, inner)
  }

  /// Returns the path below which a target is found; empty for the first.
  private static func path(of target: Int) -> String { target == 0 ? "" : "\(pathStart)\(target + 1)" }

  /// Returns what becomes of an address that the gateway tells a client.
  func outcome(of address: String, at outside: Outside) -> Outcome {
    guard address.utf8.count <= Self.sizeMax, let host = outside.host, Authority(host) != nil else {
      return .left(.noAddress)
    }
    if address.utf8.starts(with: "/".utf8), !address.utf8.starts(with: "//".utf8) {
      let prefix = outside.mount + Self.path(of: outside.target)
      return .led(to: outside.target, as: prefix.isEmpty ? nil : prefix + address)
    }
    if let url = WebAddress(address) {
      guard let usual = Self.usual[url.scheme], !url.hasUser else { return .left(.noAddress) }
      guard let target = target(url.authority, port: url.port ?? (usual.isTLS ? 443 : 80), isTLS: usual.isTLS) else {
        return .left(.hostNotNamed)
      }
      let scheme = usual.isSocket ? outside.isSecure ? "wss" : "ws" : outside.isSecure ? "https" : "http"
      let query = url.query.map { "?\($0)" } ?? ""
      let path = outside.mount + Self.path(of: target) + url.path
      return .led(to: target, as: "\(scheme)://\(host)\(path)\(query)")
    }
    guard let authority = Authority(address) else { return .left(.noAddress) }
    guard let target = target(authority, port: authority.port, isTLS: nil) else { return .left(.hostNotNamed) }
    guard target == 0, outside.mount.isEmpty else { return .left(.noPath) }
    return .led(to: 0, as: host)
  }

  private static let usual: [String: (isSocket: Bool, isTLS: Bool)] = [
    "ws": (true, false), "wss": (true, true), "http": (false, false), "https": (false, true),
  ]

  /// Returns the number of the target with that host and, where they are told, that port and TLS.
  private func target(_ authority: Authority, port: Int?, isTLS: Bool?) -> Int? {
    let host = Name(authority.address?.description ?? authority.host.lowercased())
    return targets.firstIndex { target in
      Name(target.dial.host) == host && port.map { $0 == target.dial.port } ?? true
        && isTLS.map { $0 == target.dial.isTLS } ?? true
    }
  }
}
