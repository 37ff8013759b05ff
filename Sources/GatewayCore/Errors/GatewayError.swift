/// An error that the gateway returns to a peer: a stable number and a stable name, e.g. 401002 `token_expired`.
///
/// The first three digits are the HTTP status of the error. The exception is 800101, a number of the vendors, whose
/// HTTP status is 409.
package struct GatewayError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fields of an error, behind one reference: most steps of a message may throw an error, and few do.
  private final class Words: Hashable, Sendable {
    let number: Int
    let name: String
    let message: String
    let reason: String?
    let consequence: Consequence?
    let mismatch: ClaimMismatch?

    init(
      _ number: Int, _ name: String, _ message: String, _ reason: String?, _ consequence: Consequence?,
      _ mismatch: ClaimMismatch?
    ) {
      self.number = number
      self.name = name
      self.message = message
      self.reason = reason
      self.consequence = consequence
      self.mismatch = mismatch
    }

    static func == (one: Words, other: Words) -> Bool {
      one === other
        || one.number == other.number && one.name == other.name && one.message == other.message
          && one.reason == other.reason && one.consequence == other.consequence
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(number)
      hasher.combine(message)
    }
  }

  private let words: Words

  private init(
    _ number: Int, _ name: String, _ message: String, reason: String? = nil, consequence: Consequence? = nil,
    mismatch: ClaimMismatch? = nil
  ) {
    words = Words(number, name, message, reason, consequence, mismatch)
  }

  /// A special consequence of a refused token, beside the error.
  package enum Consequence: Hashable, Sendable {
    /// The connection is closed for this reason.
    case close(CloseReason)
    /// A refresh is requested at once, if none is.
    case ask
  }

  /// The stable number, six digits.
  package var number: Int { words.number }
  /// The stable name, in snake case.
  package var name: String { words.name }
  /// The fault and the expected value, for a person. Never contains a token or a secret.
  package var message: String { words.message }
  /// The dialect's own name of the check that failed; nil if it has none.
  package var reason: String? { words.reason }
  /// The consequence for a token that is refused with the error; nil for the usual one.
  package var consequence: Consequence? { words.consequence }
  /// The values of the claim that does not match, for the log. Errors that differ in it alone are equal.
  package var mismatch: ClaimMismatch? { words.mismatch }

  /// The HTTP status of the error.
  package var httpStatus: Int {
    self.number == Self.connectionRequired.number ? 409 : number / 1000
  }

  /// The message, followed by the number and the name for programs.
  package var description: String { "\(message) (\(number) \(name))" }

  /// Returns the same error with a detail of this occurrence appended to the message.
  package func detailed(_ detail: String) -> GatewayError {
    GatewayError(
      number, name, "\(message): \(detail)", reason: reason, consequence: consequence, mismatch: mismatch)
  }

  /// Returns the same error with the dialect's own name of the check that failed.
  package func because(_ reason: String) -> GatewayError {
    GatewayError(number, name, message, reason: reason, consequence: consequence, mismatch: mismatch)
  }

  /// Returns the same error with the values of the claim that does not match.
  package func showing(_ mismatch: ClaimMismatch) -> GatewayError {
    GatewayError(number, name, message, reason: reason, consequence: consequence, mismatch: mismatch)
  }

  /// Returns the same error with another consequence for a connection.
  package func followed(by consequence: Consequence) -> GatewayError {
    GatewayError(number, name, message, reason: reason, consequence: consequence, mismatch: mismatch)
  }

  /// Returns the same error with a vendor's own message.
  package func worded(_ message: String) -> GatewayError {
    GatewayError(number, name, message, mismatch: mismatch)
  }

  /// Returns whether both errors have the same number, regardless of their messages.
  package func isSame(as other: GatewayError) -> Bool {
    number == other.number
  }

  /// Whether the token could not be judged at the moment: it is neither good nor bad, and the client may present it
  /// again.
  package var isUnjudged: Bool {
    isSame(as: .storeUnavailable) || isSame(as: .identityUnavailable)
  }

  package static let malformedMessage = GatewayError(
    400_001, "malformed_message", "not a JSON object with a string member type")
  package static let unknownType = GatewayError(400_002, "unknown_type", "no message has this type")
  package static let invalidParameter = GatewayError(
    400_003, "invalid_parameter", "a member is missing or has a wrong value")
  package static let malformedRequest = GatewayError(400_004, "malformed_request", "the request is not as documented")
  package static let alreadyInProgress = GatewayError(
    400_005, "already_in_progress", "another token of this connection is being verified")
  /// The dialect has no messages of this frame type; the connection is closed with 1003.
  package static let unsupportedData = GatewayError(
    400_007, "unsupported_data", "the dialect has no messages of this frame type")
  /// A proxy without a wire was asked for something that needs one.
  package static let needsWire = GatewayError(
    400_009, "needs_wire", "the proxy knows no wire, so no message and no user has a meaning to it")
  package static let userNameTooLong = GatewayError(400_008, "user_name_too_long", "the user's name is too long")
  package static let notAMember = GatewayError(400_006, "not_a_member", "join the call first")

  package static let credentialsMissing = GatewayError(
    401_000, "credentials_missing", "send a token as Authorization: Bearer, as access_token or in a connect message")
  package static let tokenMalformed = GatewayError(401_001, "token_malformed", "the token is not well formed")
  package static let tokenExpired = GatewayError(401_002, "token_expired", "the token has expired")
  package static let tokenNotYetValid = GatewayError(401_003, "token_not_yet_valid", "the token is not valid yet")
  package static let signatureInvalid = GatewayError(
    401_004, "signature_invalid", "the token's signature does not verify")
  package static let algorithmRefused = GatewayError(
    401_005, "algorithm_refused", "the token's algorithm is not accepted for its key")
  package static let keyUnknown = GatewayError(401_006, "key_unknown", "no key has the token's kid")
  package static let issuerMismatch = GatewayError(401_007, "issuer_mismatch", "the token is of another issuer")
  package static let audienceMismatch = GatewayError(401_008, "audience_mismatch", "the token is for another audience")
  package static let tokenRevoked = GatewayError(401_009, "token_revoked", "the token has been revoked")
  package static let tokenNotRenewed = GatewayError(
    401_010, "token_not_renewed", "a refresh needs another token than the one that expires")
  package static let userMismatch = GatewayError(
    401_011, "user_mismatch", "the token names another user than the connection's")
  package static let claimInvalid = GatewayError(401_012, "claim_invalid", "a claim is missing or has a wrong value")
  package static let tokenUnknown = GatewayError(401_013, "token_unknown", "no such access token, or no longer")
  package static let tokenUsedBeforeIssued = GatewayError(
    401_014, "token_used_before_issued", "the token's issue date is in the future")
  package static let userUnknown = GatewayError(401_015, "user_unknown", "there is no such user, or no longer")
  package static let userDeactivated = GatewayError(401_016, "user_deactivated", "the user has been deactivated")
  package static let applicationUnknown = GatewayError(
    401_017, "application_unknown", "the application or API key is not known here")
  package static let sessionExpired = GatewayError(401_018, "session_expired", "the session has expired: refresh it")
  package static let sessionUnknown = GatewayError(401_019, "session_unknown", "no such session, or no longer")

  package static let claimMissing = GatewayError(401_040, "claim_missing", "a claim is missing")
  package static let reservationInvalid = GatewayError(
    401_041, "reservation_invalid", "no such reservation of this user, or no longer")

  package static let anonymousRefused = GatewayError(403_001, "anonymous_refused", "anonymous users get no socket")
  package static let callNotPermitted = GatewayError(403_002, "call_not_permitted", "the token does not open this call")
  package static let originRefused = GatewayError(403_003, "origin_refused", "the Origin is not on the allow-list")
  package static let notPermitted = GatewayError(403_004, "not_permitted", "users of this kind may not do this")
  package static let hostRefused = GatewayError(403_005, "host_refused", "the Host is not on the allow-list")
  /// An order named a host that the proxy's command line does not name.
  package static let hostNotNamed = GatewayError(
    403_006, "host_not_named", "the command line of the proxy does not name this host")
  /// The application's own backend refuses, as its hook says.
  package static let applicationRefused = GatewayError(
    403_007, "application_refused", "the application's backend refuses")

  package static let companyForbidden = GatewayError(
    403_040, "company_forbidden", "the token is of another company")

  package static let notFound = GatewayError(404_001, "not_found", "nothing is here")
  package static let companyUnknown = GatewayError(404_040, "company_unknown", "there is no such company")
  package static let methodNotAllowed = GatewayError(405_001, "method_not_allowed", "the resource has other methods")
  package static let alreadyExists = GatewayError(409_001, "already_exists", "there is one of that name already")
  /// A proxy was asked to move or to change a clock.
  package static let clockIsReal = GatewayError(
    409_002, "clock_is_real", "the gateway behind the proxy keeps its own time")
  /// A proxy was asked for something that only the gateway behind it can do.
  package static let notOurs = GatewayError(
    409_003, "not_ours", "only the gateway behind the proxy can do this, and it is not Postern's")
  /// A proxy was asked for a token that it has not seen.
  package static let noTokenSeen = GatewayError(
    409_004, "no_token_seen", "a proxy mints no tokens, and has seen none that fits")
  package static let bodyTooLarge = GatewayError(
    413_001, "body_too_large", "the request's body is larger than the limit")
  package static let mediaTypeRefused = GatewayError(
    415_001, "media_type_refused", "a body must have the Content-Type application/json")
  package static let upgradeRequired = GatewayError(
    426_001, "upgrade_required", "this path is for WebSockets: send an upgrade request")
  package static let clientOutdated = GatewayError(
    426_040, "client_version_too_old", "the client's version is older than the oldest accepted")
  package static let tooMany = GatewayError(429_001, "too_many", "a limit is reached")
  package static let internalError = GatewayError(500_001, "internal_error", "the gateway made a mistake")
  package static let overloaded = GatewayError(503_001, "overloaded", "try again later")
  package static let draining = GatewayError(503_002, "draining", "the gateway is closing; connect to another node")
  package static let providerFailure = GatewayError(
    503_003, "provider_failure", "the token provider fails, as configured")
  /// The gateway's store cannot be read or written at the moment. Says nothing about a token.
  package static let storeUnavailable = GatewayError(
    503_004, "store_unavailable", "what the gateway remembers is out of reach; try again later")
  /// The application's identity provider cannot be asked at the moment. Says nothing about a token.
  package static let identityUnavailable = GatewayError(
    503_005, "identity_unavailable", "the identity provider is out of reach; try again later")

  /// Missing authentication, by the vendors' own number: the user of the operation has no authenticated connection.
  package static let connectionRequired = GatewayError(800_101, "connection_required", "connect and authenticate first")

  /// The whole catalogue, for documentation and for metrics that must know their labels.
  package static let all: [GatewayError] = [
    .malformedMessage, .unknownType, .invalidParameter, .malformedRequest, .alreadyInProgress, .notAMember,
    .unsupportedData, .needsWire, .userNameTooLong, .credentialsMissing, .tokenMalformed, .tokenExpired,
    .tokenNotYetValid,
    .signatureInvalid,
    .algorithmRefused,
    .keyUnknown, .issuerMismatch, .audienceMismatch, .tokenRevoked, .tokenNotRenewed, .userMismatch, .claimInvalid,
    .tokenUnknown, .tokenUsedBeforeIssued, .userUnknown, .userDeactivated, .applicationUnknown, .sessionExpired,
    .sessionUnknown, .anonymousRefused, .callNotPermitted, .originRefused, .notPermitted, .notFound, .methodNotAllowed,
    .alreadyExists, .clockIsReal, .notOurs, .noTokenSeen, .bodyTooLarge, .upgradeRequired, .hostRefused, .hostNotNamed,
    .applicationRefused, .mediaTypeRefused,
    .claimMissing, .reservationInvalid, .companyForbidden, .companyUnknown, .clientOutdated,
    .tooMany, .internalError, .overloaded, .draining, .providerFailure, .storeUnavailable,
    .identityUnavailable, .connectionRequired,
  ]
}
