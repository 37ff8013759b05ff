internal import GatewayCore
internal import GatewayKit

extension StreamError {
  /// Stream's code, status and message for those gateway errors that Stream's clients can get.
  private static let equivalents: [Int: StreamError] = {
    let table: [(GatewayError, StreamError)] = [
      (.malformedMessage, .input("the message is not a JSON object")),
      (.unknownType, .input("no such message")),
      (.invalidParameter, .input("a member is missing or has a wrong value")),
      (.malformedRequest, .input("the request is not as documented")),
      (.alreadyInProgress, .input("another token of this connection is being verified")),
      (.unsupportedData, .input("no such frame")),
      (.notAMember, .notAllowed("join the call first")),
      (.userNameTooLong, .input("the user's name is too long")),
      (.credentialsMissing, .authenticationMissing("JWTAuth error: token is missing")),
      (.tokenMalformed, .authentication("JWTAuth error: token contains an invalid number of segments")),
      (.tokenExpired, .tokenExpired),
      (.tokenNotYetValid, .tokenNotYetValid),
      (.tokenUsedBeforeIssued, .tokenUsedBeforeIssued),
      (.signatureInvalid, StreamError(code: 43, status: 401, "JWTAuth error: signature is not valid")),
      (.algorithmRefused, .authentication("JWTAuth error: unexpected signing method")),
      (.keyUnknown, .accessKey("api_key not valid")),
      (.issuerMismatch, .authentication("JWTAuth error: the token is of another issuer")),
      (.audienceMismatch, .authentication("JWTAuth error: the token is for another audience")),
      (.tokenRevoked, .tokenRevoked),
      (.tokenNotRenewed, .tokenExpired),
      (.userMismatch, .authentication("the token's user_id is not the connection's user")),
      (.claimInvalid, .authentication("JWTAuth error: a claim has a wrong value")),
      (.tokenUnknown, .authentication("JWTAuth error: no such token")),
      (.userUnknown, .doesNotExist("there is no such user")),
      (.userDeactivated, .doesNotExist("the user was deactivated")),
      (.applicationUnknown, .accessKey("api_key not valid")),
      (.sessionExpired, .tokenExpired),
      (.sessionUnknown, .connectionIDNotFound("connection_id not found")),
      (.anonymousRefused, .notAllowed("anonymous users cannot open a WebSocket")),
      (.callNotPermitted, .notAllowed("the token does not open this call")),
      (.originRefused, .notAllowed("the Origin is not on the allow-list")),
      (.notPermitted, .notAllowed("users of this kind may not do this")),
      (.notFound, .doesNotExist("no such path")),
      (.methodNotAllowed, StreamError(code: 4, status: 405, "the path has other methods")),
      (.alreadyExists, .duplicateName("there is one of that name already")),
      (.bodyTooLarge, .tooBig("the request's body is above the limit")),
      (.upgradeRequired, StreamError(code: 4, status: 426, "this path is for WebSockets: send an upgrade request")),
      (.tooMany, .rateLimit("Too many requests")),
      (.internalError, .internalError("the gateway made a mistake")),
      (.overloaded, StreamError(code: -1, status: 503, "try again later")),
      (.draining, StreamError(code: -1, status: 503, "the gateway is closing; connect to another node")),
      (.storeUnavailable, StreamError(code: -1, status: 503, "try again later")),
      (.identityUnavailable, StreamError(code: -1, status: 503, "try again later")),
      (.providerFailure, StreamError(code: -1, status: 503, "the token provider fails, as configured")),
      (.connectionRequired, .authenticationMissing("JWTAuth error: connect and authenticate first")),
    ]
    return Dictionary(uniqueKeysWithValues: table.map { ($0.number, $1) })
  }()

  private static let plainMessages = Dictionary(
    uniqueKeysWithValues: GatewayError.all.map { ($0.number, $0.message) })

  /// Converts a gateway error: Stream's code, with the error's detail if it has one.
  init(_ error: GatewayError) {
    guard var equivalent = Self.equivalents[error.number] else {
      self.init(code: Self.code(ofStatus: error.httpStatus), status: error.httpStatus, error.message)
      return
    }
    if error.message != Self.plainMessages[error.number] { equivalent.message = error.message }
    if error.isUnjudged { equivalent.retryAfter = .seconds(5) }
    self = equivalent
  }

  /// Returns Stream's code for errors of other dialects.
  private static func code(ofStatus status: Int) -> Int {
    switch status {
    case 400, 405, 409, 426: 4
    case 401: 5
    case 403: 17
    case 404: 16
    case 413: 22
    case 415: 4
    case 429: 9
    default: -1
    }
  }

  /// The closest gateway error, with this error's message, as an authenticator returns it.
  var gatewayError: GatewayError {
    let plain: GatewayError =
      switch code {
      case 2: .applicationUnknown
      case 4: .invalidParameter
      case 9: .tooMany
      case 16: .notFound
      case 17: .notPermitted
      case 40: self == .tokenRevoked ? .tokenRevoked : .tokenExpired
      case 41: .tokenNotYetValid
      case 42: .tokenUsedBeforeIssued
      case 43: .signatureInvalid
      case -1: .internalError
      default: details.isEmpty ? .tokenMalformed : .credentialsMissing
      }
    return plain.worded(message)
  }
}

extension StreamError: StoreFailure {
  init(_ error: StoreError) { self.init(GatewayError(error)) }
}
