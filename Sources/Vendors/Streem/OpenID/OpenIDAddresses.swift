internal import GatewayCore
internal import GatewayJSON

/// The URLs of the provider, with one issuer for each company, e.g. `https://id.example/streem/oidc/postern`.
struct OpenIDAddresses {
  static let folder = "/streem/oidc"

  let issuer: String

  /// Fails if the request does not say to which host it was sent.
  init?(_ request: HTTPRequest, company: Name, settings: OpenIDSettings) {
    if let address = settings.address {
      issuer = "\(address)\(Self.folder)/\(company)"
    } else {
      guard let host = request.host else { return nil }
      issuer = "http\(settings.isSecure ? "s" : "")://\(host)\(Self.folder)/\(company)"
    }
  }

  var authorization: String { issuer + "/authorize" }
  var token: String { issuer + "/token" }
  var logout: String { issuer + "/logout" }

  /// The provider's metadata (OpenID Connect Discovery section 3, RFC 8414 section 2).
  var metadata: [UInt8] {
    JSONWriter.object(capacity: 2048) { json in
      json.member("issuer", issuer)
      json.member("authorization_endpoint", authorization)
      json.member("token_endpoint", token)
      json.member("jwks_uri", issuer + "/jwks")
      json.member("userinfo_endpoint", issuer + "/userinfo")
      json.member("end_session_endpoint", logout)
      json.member("revocation_endpoint", issuer + "/revoke")
      json.member("scopes_supported", strings: OpenIDAuthorization.knownScopes.lazy.map(\.text))
      json.member("response_types_supported", strings: ["code"])
      json.member("response_modes_supported", strings: ["query"])
      json.member("grant_types_supported", strings: ["authorization_code", "refresh_token"])
      json.member("subject_types_supported", strings: ["public"])
      json.member("id_token_signing_alg_values_supported", strings: OpenIDClient.Signing.allCases.lazy.map(\.rawValue))
      json.member("code_challenge_methods_supported", strings: ["S256"])
      json.member("token_endpoint_auth_methods_supported", strings: ["none"])
      json.member("revocation_endpoint_auth_methods_supported", strings: ["none"])
      json.member("prompt_values_supported", strings: ["none", "login", "consent", "select_account"])
      json.member(
        "claims_supported",
        strings: [
          "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "sid", "name", "picture", OpenIDKey.companyClaim,
        ])
      json.member("claims_parameter_supported", false)
      json.member("request_parameter_supported", false)
      json.member("request_uri_parameter_supported", false)
      json.member("authorization_response_iss_parameter_supported", true)
    }
  }
}
