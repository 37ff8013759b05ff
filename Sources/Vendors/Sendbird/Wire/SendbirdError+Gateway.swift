internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Gateway errors in Sendbird's numbers, and Sendbird's errors over HTTP.

extension SendbirdError {
  /// Converts a gateway error.
  init(_ error: GatewayError) {
    self =
      switch error.reason {
      case Self.tooFast: .rateLimited
      case Self.noRoom: .tooMany("users")
      default: Self.numbers[error.number] ?? Self.byStatus(error)
      }
  }

  /// The ``GatewayError/reason`` of an error when an address asks too often.
  static let tooFast = "too fast"
  /// The reason of an error when there is no room for another user.
  static let noRoom = "no room"

  private static let numbers: [Int: SendbirdError] = [
    GatewayError.connectionRequired.number: .connectionRequired,
    GatewayError.credentialsMissing.number: .missing("user_id"),
    GatewayError.userDeactivated.number: .userDeactivated,
    GatewayError.userUnknown.number: .userNotFound,
    GatewayError.applicationUnknown.number: .applicationNotFound,
    GatewayError.userNameTooLong.number: .userIDTooLong,
    GatewayError.sessionExpired.number: .sessionExpired,
    GatewayError.sessionUnknown.number: .sessionKeyInvalid,
    GatewayError.tokenRevoked.number: .sessionRevoked,
    GatewayError.anonymousRefused.number: .notAuthorized,
    GatewayError.notPermitted.number: .guestNotAllowed,
    GatewayError.originRefused.number: .domainNotAllowed,
    GatewayError.malformedMessage.number: .bodyNotJSON,
    GatewayError.malformedRequest.number: .bodyNotJSON,
    GatewayError.unknownType.number: .noEndpoint,
    GatewayError.invalidParameter.number: Self(400_111, "A parameter has an invalid value."),
    GatewayError.alreadyInProgress.number: .unacceptable,
    GatewayError.notAMember.number: .notAMember,
    GatewayError.notFound.number: .noEndpoint,
    GatewayError.methodNotAllowed.number: .noEndpoint,
    GatewayError.bodyTooLarge.number: Self(400_110, "The body is too long."),
    GatewayError.upgradeRequired.number: .badURL,
    GatewayError.tooMany.number: .tooManyConnectionsOfUser,
    GatewayError.internalError.number: .internalError,
    GatewayError.overloaded.number: .temporaryFailure,
    GatewayError.draining.number: .temporaryFailure,
    GatewayError.providerFailure.number: .temporaryFailure,
    GatewayError.storeUnavailable.number: .temporaryFailure,
    GatewayError.identityUnavailable.number: .temporaryFailure,
  ]

  /// Returns the error for a status. All token errors have one number, as at the vendor.
  private static func byStatus(_ error: GatewayError) -> SendbirdError {
    switch error.httpStatus {
    case 401: .accessTokenInvalid
    case 403: .notAuthorized
    case 429: .rateLimited
    case 503: .temporaryFailure
    case 500...: .internalError
    default: .unacceptable
    }
  }

  /// The body of an answer and of a frame: `{"error":true,"code":…,"message":…}`.
  var body: [UInt8] {
    JSONWriter.object(capacity: 96) { write(to: &$0) }
  }

  func write(to json: inout JSONWriter) {
    json.member("error", true)
    json.member("code", Int64(code))
    json.member("message", message)
  }

  /// The error as an HTTP response.
  var response: HTTPResponse {
    var response = HTTPResponse(status: httpStatus, json: body)
    if httpStatus == 503 { response.headers.append(.retryAfter(.seconds(5))) }
    return response
  }
}
