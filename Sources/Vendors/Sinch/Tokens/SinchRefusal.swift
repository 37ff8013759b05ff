internal import GatewayCore
internal import GatewayKit

/// The check that Sinch credentials failed, by its name in explained errors, e.g. `kid_invalid`.
enum SinchRefusal: String, Error, Hashable, Sendable, CaseIterable {
  case malformed
  case algorithmNotAllowed = "alg_not_allowed"
  case keyIDInvalid = "kid_invalid"
  case issuerInvalid = "iss_invalid"
  case unknownApplication = "unknown_application"
  case badSignature = "bad_signature"
  case claimMissing = "claim_missing"
  case claimInvalid = "claim_invalid"
  case subjectInvalid = "sub_invalid"
  case userIDInvalid = "user_id_invalid"
  case userMismatch = "user_mismatch"
  case keyDateMismatch = "kid_date_mismatch"
  case lifeTooShort = "ttl_too_short"
  case lifeTooLong = "ttl_too_long"
  case notYetValid = "not_yet_valid"
  case expired
  case instanceLifeTooShort = "instance_ttl_too_short"
  case nonceReused = "nonce_reused"
  case sequenceNotIncreasing = "sequence_not_increasing"
  case endRequired = "instance_exp_required"
  case instanceUnknown = "unknown_instance"
  case timestampMissing = "timestamp_missing"
  case timestampOutOfRange = "timestamp_out_of_range"
  case authorizationMissing = "authorization_missing"
  case authorizationInsufficient = "authorization_insufficient"
  case wrongPassword = "wrong_password"
  case accountLocked = "account_locked"
  case declined
  case tooMany = "too_many"
  case full
  case storeUnavailable = "store_unavailable"

  /// The cause and the expected value, for people.
  var explanation: String {
    switch self {
    case .malformed: "the token must be three segments of strict base64url, the first two JSON objects, and no crit"
    case .algorithmNotAllowed: "alg must be HS256"
    case .keyIDInvalid: "kid must be hkdfv1- and a date as eight ASCII digits"
    case .issuerInvalid: "iss must be //rtc.sinch.com/applications/ and the application key"
    case .unknownApplication: "no application has this key"
    case .badSignature: "the signature does not verify"
    case .claimMissing: "sub, iat, exp and nonce are required"
    case .claimInvalid: "a claim has a wrong type: dates are numbers, sub and nonce are strings, nonce is not empty"
    case .subjectInvalid: "sub must be iss, /users/ and the user id"
    case .userIDInvalid: "a user id has 1 to 255 of A-Z a-z 0-9 - _ = (legacy web: 1 to 40 of printable ASCII)"
    case .userMismatch: "the credentials name another user or application than the client"
    case .keyDateMismatch: "kid must name the UTC date of iat"
    case .lifeTooShort: "exp - iat is less than the least that is allowed, by default 60 s"
    case .lifeTooLong: "exp - iat is more than is allowed here"
    case .notYetValid: "the token was issued in the future, by this gateway's clock"
    case .expired: "the token, or the registration it is for, has expired"
    case .instanceLifeTooShort: "sinch:rtc:instance:exp - iat is less than the least that is allowed, by default 48 h"
    case .nonceReused: "the nonce has been used"
    case .sequenceNotIncreasing: "the sequence must be greater than every one before it of this user"
    case .endRequired: "a registration that was limited stays limited: sinch:rtc:instance:exp is required"
    case .instanceUnknown: "no such instance, or no longer: register again"
    case .timestampMissing: "x-timestamp is missing or no ISO 8601 date"
    case .timestampOutOfRange: "x-timestamp is too far from the gateway's clock: ask GET /timestamp/"
    case .authorizationMissing: "Authorization is missing or of no known form"
    case .authorizationInsufficient: "this kind of Authorization does not open the resource"
    case .wrongPassword: "no such user, or another password"
    case .accountLocked: "too many wrong passwords: try again later"
    case .declined: "the client declined to register (registerFailed)"
    case .tooMany: "too many requests from this address: try again later"
    case .full: "the gateway has no room for another registration: try again later"
    case .storeUnavailable: "what the gateway remembers is out of reach: try again later"
    }
  }

  /// The closest error of the catalogue, with the reason's name and text.
  var gatewayError: GatewayError {
    nearest.worded(explanation).because(rawValue)
  }

  private var nearest: GatewayError {
    switch self {
    case .malformed: .tokenMalformed
    case .algorithmNotAllowed: .algorithmRefused
    case .keyIDInvalid: .keyUnknown
    case .issuerInvalid: .issuerMismatch
    case .unknownApplication: .applicationUnknown
    case .badSignature: .signatureInvalid
    case .claimMissing, .claimInvalid, .subjectInvalid, .userIDInvalid, .keyDateMismatch, .lifeTooShort, .lifeTooLong,
      .instanceLifeTooShort, .endRequired:
      .claimInvalid
    case .userMismatch: .userMismatch
    case .notYetValid: .tokenUsedBeforeIssued
    case .expired: .tokenExpired
    case .nonceReused, .sequenceNotIncreasing: .tokenNotRenewed
    case .instanceUnknown: .sessionUnknown
    case .timestampMissing, .timestampOutOfRange, .authorizationMissing, .declined: .credentialsMissing
    case .authorizationInsufficient: .notPermitted
    case .wrongPassword: .userUnknown
    case .accountLocked, .tooMany, .full: .tooMany
    case .storeUnavailable: .storeUnavailable
    }
  }
}

extension SinchRefusal: StoreFailure {
  init(_ error: StoreError) {
    self = if case .full = error { .full } else { .storeUnavailable }
  }
}
