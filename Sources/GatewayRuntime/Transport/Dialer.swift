package import GatewayCore

/// Opens connections to gateways and token providers, from one loop.
package protocol Dialer: AnyObject, Sendable {
  /// Opens a WebSocket; `handler` hears of it, on the loop, after this call has returned. Only on the loop.
  func dial(_ target: DialTarget, upgrade: HTTPRequest, subprotocols: [String], handler: any SocketHandler)

  /// Asks over HTTP, one request a connection. Gives up after `timeout`. Only from a task on the loop.
  nonisolated(nonsending) func fetch(
    _ request: HTTPRequest, from target: DialTarget, timeout: Duration
  ) async -> Result<HTTPResponse, DialFailure>
}

/// Where to connect to.
package struct DialTarget: Hashable, Sendable {
  package var host: String
  package var port: Int
  package var isTLS: Bool
  /// The local address to connect from, e.g. `127.0.0.7`; nil for the system's choice.
  package var source: String?
  /// Whether to accept a certificate that nobody the system trusts has signed.
  package var allowsUntrustedCertificate: Bool

  package init(
    host: String, port: Int, isTLS: Bool = false, source: String? = nil, allowsUntrustedCertificate: Bool = false
  ) {
    self.host = host
    self.port = port
    self.isTLS = isTLS
    self.source = source
    self.allowsUntrustedCertificate = allowsUntrustedCertificate
  }
}

/// Why no connection came about.
package enum DialFailure: Error, Hashable, Sendable {
  /// The upgrade was answered with this HTTP status.
  case refused(status: Int)
  /// There was no connection, or it ended before the answer.
  case unreachable(String)
  case timedOut
}
