/// An HTTP request as a value (RFC 9110).
package struct HTTPRequest: Hashable, Sendable {
  package var method: String
  /// The path, percent-encoded as received.
  package var path: String
  /// The parameters of the query in order, decoded.
  package var query: [HTTPField]
  /// The header fields in order, with names in lower case.
  package var headers: [HTTPField]
  package var body: [UInt8]
  /// The body in pieces, which replaces `body` if it is set. Read at most once; `content-length` is its length, if it is known.
  package var stream: HTTPStream?
  /// The address of the peer, as text.
  package var peer: String
  /// Whether a trusted proxy has sent it.
  package var cameByProxy = false
  /// Whether it is an upgrade that came over TLS.
  package var isSecure = false
  /// The path ahead of ``path`` that led to a space, e.g. `/s/t17`; empty for none.
  package var mount = ""
  /// The path and the query, percent-encoded as received; nil for a request that was made here.
  package var rawTarget: String?

  package init(
    method: String, path: String, query: [HTTPField] = [], headers: [HTTPField] = [], body: [UInt8] = [],
    peer: String = ""
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.peer = peer
  }

  /// Returns the first field with that name, which must be in lower case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name == name }?.value
  }

  /// Returns the first parameter with that name.
  package func parameter(_ name: String) -> String? {
    query.first { $0.name == name }?.value
  }

  /// The token of `Authorization: Bearer` (RFC 6750 section 2.1).
  package var bearerToken: String? {
    guard let value = header("authorization")?.utf8 else { return nil }
    let scheme = value.prefix(7)
    guard scheme.count == 7, scheme.last == UInt8(ascii: " "),
      zip(scheme, "bearer".utf8).allSatisfy({ $0 | 0x20 == $1 })
    else { return nil }
    let token = value[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
    return token.isEmpty ? nil : String(Substring(token))
  }
}

/// A named value: a header field or a query parameter.
package struct HTTPField: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
