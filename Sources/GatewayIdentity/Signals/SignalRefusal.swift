internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// Why a signal is not taken. It never holds the token or any value from it, but an `iss` or `aud` that does not match.
struct SignalRefusal: Error, Hashable {
  /// The codes of RFC 8935 section 2.4, RFC 7009 and RFC 6749.
  enum Code: String {
    case invalidRequest = "invalid_request"
    case invalidKey = "invalid_key"
    case invalidIssuer = "invalid_issuer"
    case invalidAudience = "invalid_audience"
    case authenticationFailed = "authentication_failed"
    case unsupportedTokenType = "unsupported_token_type"
    case unavailable = "temporarily_unavailable"
  }

  let code: Code
  let description: String
  let status: Int
  /// How long the sender should wait before it tries again; nil if it should not.
  var retryAfter: Duration?
  /// The values of the claim that does not match, for the log.
  private(set) var mismatch: ClaimMismatch?

  init(_ code: Code, _ description: String, status: Int = 400) {
    self.code = code
    self.description = description
    self.status = status
  }

  init(_ error: TokenError) {
    let code: Code =
      switch error {
      case .keyUnknown, .keyEnded, .signature, .algorithmNotForKey, .algorithmUnknown, .unsigned: .invalidKey
      case .issuerMismatch, .claimMissing("iss"): .invalidIssuer
      case .audienceMismatch, .claimMissing("aud"): .invalidAudience
      default: .invalidRequest
      }
    self.init(code, error.description)
    mismatch = error.gatewayError.mismatch
  }

  /// An order could not be carried out, or a key is unknown: the sender must try again.
  init(unavailable error: GatewayError) {
    self.init(.unavailable, error.name, status: 503)
    retryAfter = .seconds(5)
  }

  static let tooManyRequests = SignalRefusal(.unavailable, "too many signals from this address", status: 429)

  /// Whether the sender may try the same again.
  var isUnavailable: Bool { code == .unavailable }

  /// The code if only OAuth's codes are known (Back-Channel Logout 1.0 section 2.8, RFC 6749 section 5.2).
  private var oauthCode: Code {
    switch code {
    case .invalidKey, .invalidIssuer, .invalidAudience: .invalidRequest
    case .invalidRequest, .authenticationFailed, .unsupportedTokenType, .unavailable: code
    }
  }

  /// Returns the answer, with the members of RFC 6749 or of RFC 8935.
  func response(isEvent: Bool) -> HTTPResponse {
    let body = JSONWriter.object { json in
      if isEvent {
        json.member("err", code.rawValue)
        json.member("description", description)
      } else {
        json.member("error", oauthCode.rawValue)
        json.member("error_description", description)
      }
    }
    var response = HTTPResponse(status: status, json: body)
    response.headers.append(HTTPField("cache-control", "no-store"))
    if let retryAfter {
      response.headers.append(HTTPField("retry-after", String(max(1, Int(retryAfter.inSeconds.rounded(.up))))))
    }
    if status == 401 { response.headers.append(HTTPField("www-authenticate", "Bearer")) }
    return response
  }
}
