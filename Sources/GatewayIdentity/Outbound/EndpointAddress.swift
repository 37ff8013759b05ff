internal import GatewayCore

/// An address that the gateway asks: https, or http on loopback.
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

  /// Whether it is by its text on this machine.
  var isHere: Bool { IPAddress(host)?.isLoopback ?? (Name(host) == Name("localhost")) }

  /// Returns a request for what is there.
  func request(_ method: String = "GET", _ fields: [HTTPField] = [], body: [UInt8] = []) -> HTTPRequest {
    var request = HTTPRequest(
      method: method, path: String(requestTarget.prefix { $0 != "?" }),
      headers: [HTTPField("accept", "application/json")] + fields, body: body)
    request.rawTarget = requestTarget
    return request
  }
}

/// Why an address is not asked.
package enum EndpointFault: Error, Hashable, Sendable, CustomStringConvertible {
  case noAddress
  case hasUser
  case hasFragment
  /// Plain http to another machine, where anyone on the path could answer.
  case plain

  package var description: String {
    switch self {
    case .noAddress: "no address; expected https://HOST/PATH"
    case .hasUser: "an address with a user or password in it, which is sent to nobody"
    case .hasFragment: "an address with a #, which no server is asked for"
    case .plain: "plain http is spoken to loopback only; give an https address"
    }
  }
}
