internal import GatewayCore

/// The redirect of an authorization request, with the parameters of every answer.
struct OpenIDAnswer: Codable, Sendable {
  let redirect: Name
  let state: String?
  let issuer: String

  /// Returns the redirect URL with a code (RFC 6749 section 4.1.2).
  func address(code: String) -> String {
    address([HTTPField("code", code)])
  }

  /// Returns the redirect URL with an error (RFC 6749 section 4.1.2.1).
  func address(_ error: StreemFailure) -> String {
    address([HTTPField("error", error.reason), HTTPField("error_description", error.message)])
  }

  /// Returns the redirect URL; every answer names its issuer (RFC 9207 section 2).
  private func address(_ fields: [HTTPField]) -> String {
    let state = state.map { [HTTPField("state", $0)] } ?? []
    return Self.address(redirect.text, fields + state + [HTTPField("iss", issuer)])
  }

  /// Returns `address` with more parameters, keeping its own query (RFC 6749 section 3.1.2).
  static func address(_ address: String, _ fields: [HTTPField]) -> String {
    guard !fields.isEmpty else { return address }
    let query = fields.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    return address + (address.contains("?") ? "&" : "?") + query
  }
}
