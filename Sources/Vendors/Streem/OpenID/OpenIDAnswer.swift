internal import GatewayCore

/// The destination of the answer to an authorization request, and what is in every one: the `state` that the client
/// sent, for instance.
struct OpenIDAnswer: Codable, Sendable {
  let redirect: Name
  let state: String?
  let issuer: String

  /// The address with a code (RFC 6749 section 4.1.2).
  func address(code: String) -> String {
    address([HTTPField("code", code)])
  }

  /// The address with an error (RFC 6749 section 4.1.2.1).
  func address(_ error: OpenIDError) -> String {
    address([HTTPField("error", error.code.rawValue), HTTPField("error_description", error.message)])
  }

  /// Every answer names its issuer (RFC 9207 section 2).
  private func address(_ fields: [HTTPField]) -> String {
    let state = state.map { [HTTPField("state", $0)] } ?? []
    return Self.address(redirect.text, fields + state + [HTTPField("iss", issuer)])
  }

  /// `address` with more parameters; its own query stays (RFC 6749 section 3.1.2).
  static func address(_ address: String, _ fields: [HTTPField]) -> String {
    guard !fields.isEmpty else { return address }
    let query = fields.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    return address + (address.contains("?") ? "&" : "?") + query
  }
}
