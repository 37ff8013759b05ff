package import GatewayCore

/// The header fields that a proxy passes on. Fields about one connection are not passed on (RFC 9110 section 7.6.1).
package struct ForwardedFields: Sendable {
  /// This proxy in `Via`, e.g. `1.1 postern-3fa9`; different in every process, so that a loop is found.
  package let via: String
  /// The fields that replace the client's, with names in lower case.
  package let replacements: [HTTPField]

  package init(via: String, replacing replacements: [HTTPField] = []) {
    self.via = via
    self.replacements = replacements
  }

  /// The fields about one connection.
  private static let ofConnection: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer",
    "transfer-encoding",
  ]
  /// The fields that belong to the connection to the target.
  private static let ofRequest: Set<String> = [
    "host", "expect", "content-length", "upgrade", "sec-websocket-key", "sec-websocket-version",
    "sec-websocket-protocol", "sec-websocket-extensions",
  ]

  /// Returns whether the request has passed this proxy before.
  func hasPassed(_ request: HTTPRequest) -> Bool {
    Self.words(request.header("via")).contains { $0.utf8.elementsEqual(via.utf8) }
  }

  /// Returns the fields of a request for the target. A streamed body keeps its length, if it has one.
  func ofRequest(_ request: HTTPRequest) -> [HTTPField] {
    let named = Self.named(in: request.headers)
    let replaced = Set(replacements.map(\.name))
    var fields = request.headers.filter {
      !Self.ofConnection.contains($0.name) && !Self.ofRequest.contains($0.name) && !named.contains($0.name)
        && !replaced.contains($0.name) && $0.name != "via"
    }
    if request.stream != nil, let length = request.header("content-length") {
      fields.append(HTTPField("content-length", length))
    }
    fields += replacements
    let passed = request.header("via").map { "\($0), " } ?? ""
    fields.append(HTTPField("via", passed + via))
    return fields
  }

  /// Returns the fields of an answer for the client. A refused upgrade may name the protocol that the server speaks.
  func ofAnswer(_ answer: HTTPResponse) -> [HTTPField] {
    let named = Self.named(in: answer.headers)
    return answer.headers.filter {
      !Self.ofConnection.contains($0.name) && $0.name != "content-length"
        && ($0.name == "upgrade" ? answer.status == 426 : !named.contains($0.name))
    }
  }

  /// Returns the subprotocols that a client offers.
  static func subprotocols(of upgrade: HTTPRequest) -> [String] {
    words(upgrade.header("sec-websocket-protocol")).map(String.init)
  }

  /// Returns the fields that `Connection` names.
  private static func named(in fields: [HTTPField]) -> Set<String> {
    var named: Set<String> = []
    for field in fields where field.name == "connection" { named.formUnion(words(field.value).map { $0.lowercased() }) }
    return named
  }

  private static func words(_ list: String?) -> [Substring] {
    guard let list else { return [] }
    return list.utf8.split(separator: UInt8(ascii: ",")).compactMap { part in
      let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
      guard let first = part.firstIndex(where: { !isBlank($0) }), let last = part.lastIndex(where: { !isBlank($0) })
      else { return nil }
      return Substring(part[first...last])
    }
  }
}
