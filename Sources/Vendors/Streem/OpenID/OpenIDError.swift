internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// An error of OAuth (RFC 6749 sections 4.1.2.1 and 5.2, OpenID Connect Core section 3.1.2.6, RFC 6750 section 3.1).
struct OpenIDError: Error, Hashable {
  /// An error code of OAuth, e.g. `invalid_grant`.
  enum Code: String {
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

  let code: Code
  /// A sentence for the client's developer; never contains user input or a secret.
  let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  var status: Int {
    switch code {
    case .invalidClient, .invalidToken: 401
    case .temporarilyUnavailable: 503
    default: 400
    }
  }

  /// The answer of the token endpoint and of similar endpoints.
  var response: HTTPResponse {
    let body = JSONWriter.object { json in
      json.member("error", code.rawValue)
      json.member("error_description", message)
    }
    var response = HTTPResponse(status: status, json: body)
    response.headers.append(HTTPField("cache-control", "no-store"))
    switch code {
    case .invalidClient: response.headers.append(HTTPField("www-authenticate", #"Basic realm="postern""#))
    case .invalidToken:
      response.headers.append(HTTPField("www-authenticate", #"Bearer realm="postern", error="invalid_token""#))
    case .temporarilyUnavailable: response.headers.append(.retryAfter(.seconds(5)))
    default: break
    }
    return response
  }

  /// Returns `text` with only the characters allowed in `error_description` (RFC 6749 section 5.2), shortened.
  static func plain(_ text: String) -> String {
    String(text.prefix(40).filter { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.".contains($0)) })
  }
}

extension OpenIDError: StoreFailure {
  init(_ error: StoreError) {
    let isFull = if case .full = error { true } else { false }
    self.init(
      .temporarilyUnavailable,
      isFull ? "too many logins at the moment" : "what the gateway remembers is out of reach; try again later")
  }
}
