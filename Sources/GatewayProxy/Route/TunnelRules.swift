package import GatewayCore
package import GatewayRuntime

/// The rules of a proxy's tunnels: clients may open them to its target only, which is dialled for the requests inside.
package struct TunnelRules: TunnelGate {
  /// The target; nil without one, so that no tunnel opens.
  private let target: Tunnel?
  private let clients: ClientNetworks
  private let report: @Sendable (ProxyRefusal) -> Void

  /// - Parameters:
  ///   - target: The server that tunnels lead to; nil for none.
  ///   - networks: The networks that clients may come from; nil for all.
  ///   - report: Called with each refusal of a CONNECT, or of a request in a tunnel.
  package init(
    to target: DialTarget?, from networks: [IPNetwork]? = nil,
    reporting report: @escaping @Sendable (ProxyRefusal) -> Void = { _ in }
  ) {
    self.report = report
    self.target = target.map { Tunnel(host: $0.host, port: $0.port, isTLS: $0.isTLS) }
    clients = ClientNetworks(networks)
  }

  package var directHost: String { target?.host ?? "localhost" }

  package func answer(_ connect: HTTPRequest) -> TunnelAnswer {
    if let refusal = refusal(of: connect) { return refuse(refusal) }
    let asked = Authority(connect.path)
    guard let target else {
      let text = "this port has no target, so no tunnel leads anywhere; give --to, or use the port of a route"
      return refuse(ProxyRefusal("host_not_named", 403, text), asked)
    }
    guard let asked, asked.port != nil else {
      let text = "CONNECT needs a host and a port, without a user, e.g. \(target.text)"
      return refuse(ProxyRefusal("bad_connect", 400, text))
    }
    guard target.isOwn(asked) else {
      let text = "CONNECT leads to \(target.text) only; nothing was dialled. Add other hosts to the client's NO_PROXY"
      return refuse(ProxyRefusal("host_not_named", 403, text), asked)
    }
    return .open(target)
  }

  /// The longest name of a host (RFC 1035 section 2.3.4).
  private static let hostMax = 253

  /// Reports a refusal with the host that the client named, which cannot be the place of a secret as the rest of its line.
  private func refuse(_ refusal: ProxyRefusal, _ asked: Authority? = nil) -> TunnelAnswer {
    if let asked, asked.host.utf8.count <= Self.hostMax {
      let host = Tunnel(host: asked.host, port: asked.port ?? 0, isTLS: true).text
      report(ProxyRefusal(refusal.name, refusal.status, "CONNECT \(host): \(refusal.text)"))
    } else {
      report(refusal)
    }
    return .refuse(refusal.response)
  }

  private func refusal(of connect: HTTPRequest) -> ProxyRefusal? {
    if let refusal = clients.refusal(of: connect.peer) { return refusal }
    guard connect.body.isEmpty, connect.header("transfer-encoding") == nil,
      (connect.header("content-length") ?? "0").utf8.elementsEqual("0".utf8)
    else { return ProxyRefusal("bad_connect", 400, "CONNECT has no body: leave Content-Length out") }
    return nil
  }

  package func refusal(of request: HTTPRequest, in tunnel: Tunnel, serverName: String?) -> HTTPResponse? {
    guard let refusal = misdirection(of: request, in: tunnel, serverName) else { return nil }
    report(refusal)
    return refusal.response
  }

  private func misdirection(of request: HTTPRequest, in tunnel: Tunnel, _ serverName: String?) -> ProxyRefusal? {
    if let serverName, Name(serverName.lowercased()) != Name(tunnel.host) {
      let text = "the TLS handshake names another host than CONNECT, which named \(tunnel.text)"
      return ProxyRefusal("misdirected", 421, text)
    }
    if request.method.utf8.elementsEqual("CONNECT".utf8) {
      return ProxyRefusal("bad_connect", 400, "CONNECT inside of a tunnel leads nowhere")
    }
    guard let host = request.header("host") else { return nil }
    guard let authority = Authority(host), tunnel.isOwn(authority) else {
      return ProxyRefusal("misdirected", 421, "Host names another server than CONNECT, which named \(tunnel.text)")
    }
    return nil
  }
}

/// The networks that the clients of a proxy may come from.
struct ClientNetworks: Sendable {
  /// Nil for all.
  private let networks: [IPNetwork]?

  init(_ networks: [IPNetwork]?) { self.networks = networks }

  /// Returns the refusal of a client at that address; nil if it may come.
  func refusal(of peer: String) -> ProxyRefusal? {
    isAllowed(peer) ? nil : ProxyRefusal("client_not_allowed", 403, "\(peer) is in no network of --allow-from")
  }

  private func isAllowed(_ peer: String) -> Bool {
    guard let networks else { return true }
    guard let address = IPAddress(peer) else { return false }
    return address.isLoopback || networks.contains { $0.contains(address) }
  }
}
