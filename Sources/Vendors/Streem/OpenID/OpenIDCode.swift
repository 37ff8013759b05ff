internal import GatewayCore
internal import GatewayKit

/// An error code of OAuth, e.g. `invalid_grant` (RFC 6749 sections 4.1.2.1 and 5.2, OpenID Connect Core section
/// 3.1.2.6, RFC 6750 section 3.1).
enum OpenIDCode: String {
  case invalidRequest = "invalid_request"
  case invalidClient = "invalid_client"
  case invalidGrant = "invalid_grant"
  case unsupportedGrantType = "unsupported_grant_type"
  case invalidScope = "invalid_scope"
  case accessDenied = "access_denied"
  case unsupportedResponseType = "unsupported_response_type"
  case loginRequired = "login_required"
  case requestNotSupported = "request_not_supported"
  case requestURINotSupported = "request_uri_not_supported"
  case registrationNotSupported = "registration_not_supported"
  case invalidToken = "invalid_token"
  case temporarilyUnavailable = "temporarily_unavailable"
}

extension StreemFailure {
  /// Creates an error of OAuth.
  ///
  /// - Parameters:
  ///   - code: The error code.
  ///   - message: A sentence for the client's developer; never contains user input or a secret.
  init(_ code: OpenIDCode, _ message: String) {
    form = .openID
    reason = code.rawValue
    self.message = message
    headers = [HTTPField("cache-control", "no-store")]
    switch code {
    case .invalidClient:
      status = 401
      headers.append(HTTPField("www-authenticate", #"Basic realm="postern""#))
    case .invalidToken:
      status = 401
      headers.append(HTTPField("www-authenticate", #"Bearer realm="postern", error="invalid_token""#))
    case .temporarilyUnavailable:
      status = 503
      headers.append(.retryAfter(.seconds(5)))
    default:
      status = 400
    }
  }
}

// The provider's grants are all that is changed in transactions with this error.
extension StreemFailure: StoreFailure {
  init(_ error: StoreError) {
    let isFull = if case .full = error { true } else { false }
    self.init(
      .temporarilyUnavailable,
      isFull ? "too many logins at the moment" : "what the gateway remembers is out of reach; try again later")
  }
}
