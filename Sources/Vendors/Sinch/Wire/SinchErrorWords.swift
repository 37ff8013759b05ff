internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// An error in Sinch's terms: HTTP status, code, domain, and whether to retry.
struct SinchErrorWords: Hashable, Sendable {
  /// Whether the failed check is named.
  var explains: Bool

  /// The numbers of one error.
  struct Numbers: Hashable {
    var status: Int
    var code: Int
    /// Whether the domain is `network`, by which the vendor marks errors after which a retry may help.
    var isNetwork: Bool { status == 429 || status >= 500 }
  }

  /// Returns the numbers of an error. `isLegacyWeb` is for that SDK's paths, where an unknown instance is a missing
  /// resource.
  static func numbers(of error: GatewayError, isLegacyWeb: Bool = false) -> Numbers {
    if let refusal = refusal(error) { return numbers(of: refusal, isLegacyWeb: isLegacyWeb) }
    if error.isSame(as: .connectionRequired) { return Numbers(status: 409, code: 800_101) }
    // A revoked registration counts as none: the client makes a new one.
    if error.isSame(as: .tokenRevoked) { return numbers(of: .instanceUnknown, isLegacyWeb: isLegacyWeb) }
    switch error.httpStatus {
    case 400: return Numbers(status: 400, code: 40_001)
    case 401: return Numbers(status: 401, code: error.isSame(as: .credentialsMissing) ? 40_104 : 40_107)
    case 403: return Numbers(status: 403, code: 40_300)
    case let status: return Numbers(status: status, code: status * 100)
    }
  }

  private static func numbers(of refusal: SinchRefusal, isLegacyWeb: Bool) -> Numbers {
    switch refusal {
    case .malformed, .claimMissing, .claimInvalid, .userIDInvalid, .lifeTooShort, .instanceLifeTooShort, .endRequired:
      Numbers(status: 400, code: 40_001)
    case .badSignature:
      Numbers(status: 401, code: 40_102)
    case .algorithmNotAllowed, .keyIDInvalid, .keyDateMismatch, .issuerInvalid, .subjectInvalid, .unknownApplication,
      .expired, .notYetValid, .lifeTooLong, .nonceReused, .sequenceNotIncreasing, .wrongPassword:
      Numbers(status: 401, code: 40_107)
    case .declined:
      Numbers(status: 401, code: 40_104)
    case .userMismatch:
      Numbers(status: 403, code: 40_300)
    case .instanceUnknown:
      isLegacyWeb ? Numbers(status: 404, code: 40_400) : Numbers(status: 401, code: 1104)
    case .timestampMissing, .timestampOutOfRange:
      Numbers(status: 401, code: 40_101)
    case .authorizationMissing:
      Numbers(status: 401, code: 40_100)
    case .authorizationInsufficient:
      Numbers(status: 403, code: 40_303)
    case .accountLocked, .tooMany, .full:
      Numbers(status: 429, code: 42_900)
    case .storeUnavailable:
      Numbers(status: 503, code: 50_300)
    }
  }

  /// Returns the sentence of a status without an explanation.
  private static func sentence(_ numbers: Numbers) -> String {
    switch numbers.code {
    case 1104: "Instance not found"
    case 800_101: "Connection required"
    case 40_001: "Parameter validation"
    case 40_100: "Invalid authorization header"
    case 40_101: "Invalid timestamp header"
    case 40_102: "Invalid signature"
    case 40_104: "Authorization required"
    case 40_107: "Invalid authorization"
    case 40_300: "Forbidden"
    case 40_303: "Authorization requirement not met"
    case 40_400: "Resource not found"
    case 42_900: "Too many requests"
    case 50_300: "Service temporarily unavailable"
    default: numbers.status >= 500 ? "Internal error" : "Invalid request"
    }
  }

  func message(_ error: GatewayError, _ numbers: Numbers) -> String {
    explains ? error.message : Self.sentence(numbers)
  }

  /// Returns the reason's name; nil if errors are not explained.
  func reason(_ error: GatewayError) -> String? {
    explains ? error.reason ?? Self.refusal(error)?.rawValue ?? error.name : nil
  }

  /// Returns the vendor's reason for an error; nil if it has none.
  private static func refusal(_ error: GatewayError) -> SinchRefusal? {
    if let reason = error.reason { return SinchRefusal(rawValue: reason) }
    return common.first { error.isSame(as: $0.error) }?.refusal
  }

  /// The token errors that are common to all vendors.
  private static let common: [(error: GatewayError, refusal: SinchRefusal)] = [
    (.tokenExpired, .expired), (.tokenNotYetValid, .notYetValid), (.signatureInvalid, .badSignature),
    (.tokenMalformed, .malformed), (.algorithmRefused, .algorithmNotAllowed), (.userMismatch, .userMismatch),
  ]

  /// Returns the members of an error over HTTP: `{errorCode, message}`, and the reason if errors are explained.
  func body(_ error: GatewayError, isLegacyWeb: Bool = false) -> [UInt8] {
    let numbers = Self.numbers(of: error, isLegacyWeb: isLegacyWeb)
    return JSONWriter.object { json in
      json.member("errorCode", Int64(numbers.code))
      json.member("message", message(error, numbers))
      if let reason = reason(error) { json.member("reason", reason) }
    }
  }

  /// Returns the HTTP response.
  func response(_ error: GatewayError, isLegacyWeb: Bool = false) -> HTTPResponse {
    let numbers = Self.numbers(of: error, isLegacyWeb: isLegacyWeb)
    var response = HTTPResponse(status: numbers.status, json: body(error, isLegacyWeb: isLegacyWeb))
    if numbers.status == 401 {
      // RFC 9110 section 15.5.2 requires a challenge.
      response.headers.append(HTTPField("www-authenticate", "application"))
    }
    if numbers.status == 429 || numbers.status == 503 { response.headers.append(HTTPField("retry-after", "5")) }
    return response
  }
}
