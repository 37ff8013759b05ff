package import GatewayCore

/// A tunnel that a client has opened with CONNECT (RFC 9110 section 9.3.6). It ends at the listener, which serves its site
/// in it.
package struct Tunnel: Hashable, Sendable {
  /// The host that the client means, in lower case, and its port.
  package let host: String
  package let port: Int
  /// Whether the client speaks TLS in the tunnel.
  package let isTLS: Bool

  package init(host: String, port: Int, isTLS: Bool) {
    self.host = host
    self.port = port
    self.isTLS = isTLS
  }

  /// The host and the port, e.g. `realtime.example:443`.
  package var text: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  /// Returns whether the authority is the tunnel's own, with the scheme's port where it names none.
  package func isOwn(_ authority: Authority) -> Bool {
    Name(authority.address?.description ?? authority.host) == Name(IPAddress(host)?.description ?? host)
      && (authority.port ?? (isTLS ? 443 : 80)) == port
  }
}

/// The answer to a CONNECT.
package enum TunnelAnswer: Sendable {
  case open(Tunnel)
  case refuse(HTTPResponse)
}

/// Decides which tunnels clients may open. Only on the listener's loop.
package protocol TunnelGate: Sendable {
  /// Answers a CONNECT; its path is the authority as the client wrote it.
  func answer(_ connect: HTTPRequest) -> TunnelAnswer

  /// Returns the refusal of a request inside of a tunnel that is not for the tunnel's host; nil if it is.
  ///
  /// - Parameter serverName: The host that the client named in its TLS handshake; nil for none.
  func refusal(of request: HTTPRequest, in tunnel: Tunnel, serverName: String?) -> HTTPResponse?

  /// The host whose certificate a client gets that speaks TLS to the port itself.
  var directHost: String { get }
}
