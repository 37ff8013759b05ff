package import GatewayCore

extension HTTPResponse {
  /// Creates a response whose body is this JSON text (RFC 8259).
  package init(status: Int, json: [UInt8]) {
    self.init(status: status, headers: [HTTPField("content-type", "application/json")], body: json)
  }
}
