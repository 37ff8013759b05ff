internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// An error in OAuth's words (RFC 6749 sections 4.1.2.1 and 5.2, OpenID Connect Core section 3.1.2.6, RFC 6750 section
/// 3.1): `invalid_grant`, for instance.
struct OpenIDError: Error, Hashable {
  /// An error's code in OAuth's words: `invalid_grant`, for instance.
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
  /// A sentence for whoever wrote the client; never what a user typed, never a secret.
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

  /// The answer of the token endpoint and of what is called like it.
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

  /// `text` with nothing in it but what `error_description` may hold (RFC 6749 section 5.2), cut short.
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
