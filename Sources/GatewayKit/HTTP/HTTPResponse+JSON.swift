package import GatewayCore

extension HTTPResponse {
  /// An answer whose body is one JSON text (RFC 8259), made already.
  package init(status: Int, json: [UInt8]) {
    self.init(status: status, headers: [HTTPField("content-type", "application/json")], body: json)
  }
}
