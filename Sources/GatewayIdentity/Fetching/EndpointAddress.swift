internal import GatewayCore
internal import GatewayRuntime

/// An address that the gateway asks for keys: https, or http on loopback.
package struct EndpointAddress: Hashable, Sendable {
  /// The address as it was written.
  package let text: String
  package let host: String
  package let port: Int
  package let isTLS: Bool
  /// The path and the query as written.
  let requestTarget: String

  /// Reads an address. Throws the fault of it.
  package init(_ text: String) throws(EndpointFault) {
    guard let address = WebAddress(text), address.scheme == "https" || address.scheme == "http" else {
      throw .noAddress
    }
    guard !address.hasUser else { throw .hasUser }
    guard !address.hasFragment else { throw .hasFragment }
    isTLS = address.scheme == "https"
    guard isTLS || address.authority.isLoopback else { throw .plain }
    self.text = text
    host = address.host
    port = address.port ?? (isTLS ? 443 : 80)
    requestTarget = (address.path.isEmpty ? "/" : address.path) + (address.query.map { "?\($0)" } ?? "")
  }

  /// Returns the request for what is there.
  func request(ifNoneMatch tag: String?) -> HTTPRequest {
    var request = HTTPRequest(
      method: "GET", path: String(requestTarget.prefix { $0 != "?" }),
      headers: [HTTPField("accept", "application/json")])
    request.rawTarget = requestTarget
    if let tag { request.headers.append(HTTPField("if-none-match", tag)) }
    return request
  }

  /// Returns where to connect to.
  ///
  /// - Parameter addresses: The addresses of the host; empty if the dialer knows them.
  func target(_ addresses: [String], caPath: String?) -> DialTarget {
    var target = DialTarget(host: host, port: port, isTLS: isTLS)
    target.addresses = addresses
    target.answerBytesMax = Self.answerBytesMax
    if let caPath { target.identity = TLSIdentity(caPath: caPath) }
    return target
  }

  /// The most bytes of a JWK set or a discovery document.
  static let answerBytesMax = 256 << 10
}

/// Why keys are not asked for at an address.
package enum EndpointFault: Error, Hashable, Sendable, CustomStringConvertible {
  case noAddress
  case hasUser
  case hasFragment
  /// Plain http to another machine, where anybody on the way could put keys of their own.
  case plain

  package var description: String {
    switch self {
    case .noAddress: "no address; expected https://HOST/PATH"
    case .hasUser: "an address with a user or password in it, which is sent to nobody"
    case .hasFragment: "an address with a #, which no server is asked for"
    case .plain: "keys over plain http are taken from loopback only; give an https address"
    }
  }
}
