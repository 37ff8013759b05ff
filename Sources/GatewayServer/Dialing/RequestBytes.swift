internal import GatewayCore
internal import GatewayRuntime

extension HTTPRequest {
  /// The path with the query: as received if it was, else encoded.
  var requestTarget: String {
    if let rawTarget { return rawTarget }
    let parameters = query.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
    let path = path.isEmpty ? "/" : path
    return parameters.isEmpty ? path : "\(path)?\(parameters.joined(separator: "&"))"
  }

  /// Returns the bytes of the request (RFC 9112), as the only one of its connection unless that is kept. Of a streamed body it has
  /// the head only.
  func serialized(for target: DialTarget) -> [UInt8] {
    var head = "\(method) \(requestTarget) HTTP/1.1\r\n"
    if header("host") == nil { head += "host: \(target.hostField)\r\n" }
    for field in headers where field.isSafe && !["content-length", "connection"].contains(field.name) {
      head += "\(field.name): \(field.value)\r\n"
    }
    if stream != nil {
      head += header("content-length").map { "content-length: \($0)\r\n" } ?? "transfer-encoding: chunked\r\n"
    } else if !body.isEmpty || !["GET", "HEAD", "DELETE", "OPTIONS"].contains(method) {
      head += "content-length: \(body.count)\r\n"
    }
    head += "connection: \(target.keepsConnections ? "keep-alive" : "close")\r\n\r\n"
    return Array(head.utf8) + body
  }
}

extension DialTarget {
  /// The value of the Host field: it has a port only if that is not the scheme's default.
  var hostField: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isTLS ? 443 : 80) ? name : "\(name):\(port)"
  }
}

extension HTTPField {
  /// Whether it is one field: a line break in it would make two.
  var isSafe: Bool {
    !name.isEmpty && !name.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: ":") || $0 == 0x7f }
      && !value.utf8.contains { $0 == 0x0d || $0 == 0x0a || $0 == 0 }
  }
}
