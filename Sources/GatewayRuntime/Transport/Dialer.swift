package import GatewayCore

/// An opener of connections to gateways and token providers, from one loop.
package protocol Dialer: AnyObject, Sendable {
  /// Opens a WebSocket. `handler` is notified on the loop after this call has returned. Only on the loop.
  func dial(_ target: DialTarget, upgrade: HTTPRequest, subprotocols: [String], handler: any SocketHandler)

  /// Gives up the dial of this handler, which gets ``SocketHandler/socketRefused(_:)``; does nothing if it is open. Only on
  /// the loop.
  func cancelDial(of handler: any SocketHandler)

  /// Asks over HTTP, one request a connection. Gives up after `timeout`. Only from a task on the loop.
  nonisolated(nonsending) func fetch(
    _ request: HTTPRequest, from target: DialTarget, timeout: Duration
  ) async -> Result<HTTPResponse, DialFailure>

  /// Reads the files that connections to a target need, e.g. the system's trust store, so that the first need not wait for
  /// that. Only on the loop.
  func prepare(_ target: DialTarget)
}

extension Dialer {
  package func cancelDial(of handler: any SocketHandler) {}

  package func prepare(_ target: DialTarget) {}
}

/// A dialer that also forwards other clients' requests, and passes on their answers as they arrive.
package protocol RequestForwarder: Dialer {
  /// Sends the request, and returns the answer when its head has arrived; its body may be a stream. Waits 10 s for the
  /// connection, and a quarter of an hour for the head, unless `HTTPCall.caller` leaves. A streamed body is sent as it comes, and
  /// such a request is never repeated. Only from a task on the loop.
  nonisolated(nonsending) func forward(
    _ request: HTTPRequest, to target: DialTarget
  ) async -> Result<HTTPResponse, DialFailure>
}

/// The address of a server, and how to connect to it: name, port, TLS, own address.
package struct DialTarget: Hashable, Sendable {
  package var host: String
  package var port: Int
  package var isTLS: Bool
  /// The local address to connect from, e.g. `127.0.0.7`; nil for the system's choice.
  package var source: String?
  /// Whether to accept a certificate that no trusted authority has signed.
  package var allowsUntrustedCertificate: Bool
  /// The trusted authorities and the client's certificate; nil for the system's authorities and no certificate.
  package var identity: TLSIdentity?
  /// The addresses to connect to, as text, instead of looking up the host; empty to ask the name service.
  package var addresses: [String] = []
  /// Whether the connection of an HTTP request is kept for the next one.
  package var keepsConnections = false
  /// The maximum number of bytes of the body of an HTTP answer; a longer one is a failure. Nil for the dialer's own
  /// limit.
  package var answerBytesMax: Int?

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

/// The reason why no connection was made, e.g. that the upgrade was answered with 503.
package enum DialFailure: Error, Hashable, Sendable {
  /// The upgrade was answered with this HTTP status.
  case refused(status: Int)
  /// There was no connection, or it ended before the answer.
  case unreachable(String)
  /// TLS and its peer did not come to terms.
  case insecure(TLSFailure)
  case timedOut
}

extension DialFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .refused(let status): "the upgrade was answered with HTTP status \(status)"
    case .unreachable(let reason): reason
    case .insecure(let failure): "\(failure)"
    case .timedOut: "no answer in time"
    }
  }
}

/// The reason why TLS with a server failed, e.g. that its certificate has expired.
package enum TLSFailure: String, Hashable, Sendable, CaseIterable {
  /// No authority that the system trusts has signed the certificate.
  case untrusted = "tls_certificate_untrusted"
  /// The certificate is for other names or addresses.
  case wrongName = "tls_certificate_wrong_name"
  case expired = "tls_certificate_expired"
  case notYetValid = "tls_certificate_not_yet_valid"
  /// Anything else about the certificate.
  case badCertificate = "tls_certificate_bad"
  /// The server's answer to our greeting was none of TLS.
  case plainText = "tls_peer_speaks_plain_text"
  /// We spoke plain text, and the server's answer was TLS.
  case peerWantsTLS = "peer_wants_tls"
  /// The server wants a certificate of its clients, or another one than it was shown.
  case clientUnwelcome = "tls_client_certificate_refused"
  /// No version, cipher or key in common, an alert, an end in the middle.
  case handshake = "tls_handshake_failed"
}

extension TLSFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .untrusted: "the system trusts no authority that signed the certificate"
    case .wrongName: "the certificate is for another name"
    case .expired: "the certificate has expired"
    case .notYetValid: "the certificate is not valid yet"
    case .badCertificate: "the certificate is not acceptable"
    case .plainText: "the server speaks plain text on this port, not TLS"
    case .peerWantsTLS: "the server speaks TLS on this port, not plain text"
    case .clientUnwelcome: "the server wants a certificate of its clients, or another one"
    case .handshake: "the TLS handshake failed"
    }
  }
}
