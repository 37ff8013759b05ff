internal import GatewayCore

/// The word on the wire for the reason why a Streem Token or its user is refused, e.g. `unknown_api_key`.
enum StreemReason: String, CaseIterable {
  /// Not three strict base64url segments of two JSON objects, or an unknown `crit`.
  case malformed
  /// `alg` is not exactly `ES256`.
  case algorithm = "alg_not_allowed"
  /// `iss` does not begin with `streem:api:`.
  case issuer = "iss_invalid"
  /// There is no such API key, or it has been revoked.
  case unknownAPIKey = "unknown_api_key"
  /// `kid` is not the key's thumbprint (RFC 7638).
  case keyID = "kid_mismatch"
  case signature = "bad_signature"
  /// `aud` is not the URL of this environment.
  case audience = "aud_invalid"
  case claimMissing = "claim_missing"
  case claimInvalid = "claim_invalid"
  /// It was issued in the future.
  case notYetValid = "not_yet_valid"
  /// It is too late to start a session with it.
  case expired
  /// Its session would be over already.
  case sessionExpired = "session_expired"
  case reservation = "reservation_invalid"
  case clientVersion = "client_version_too_old"
  case companyUnknown = "company_unknown"
  case companyForbidden = "company_forbidden"

  /// The gateway error that means the same.
  var gatewayError: GatewayError {
    switch self {
    case .malformed: .tokenMalformed
    case .algorithm: .algorithmRefused
    case .issuer: .issuerMismatch
    case .unknownAPIKey: .applicationUnknown
    case .keyID: .keyUnknown
    case .signature: .signatureInvalid
    case .audience: .audienceMismatch
    case .claimMissing: .claimMissing
    case .claimInvalid: .claimInvalid
    case .notYetValid: .tokenUsedBeforeIssued
    case .expired: .tokenExpired
    case .sessionExpired: .sessionExpired
    case .reservation: .reservationInvalid
    case .clientVersion: .clientOutdated
    case .companyUnknown: .companyUnknown
    case .companyForbidden: .companyForbidden
    }
  }

  /// Returns the reason for a gateway error; nil for an error that is not about a token.
  init?(_ error: GatewayError) {
    guard let reason = Self.allCases.first(where: { $0.gatewayError.isSame(as: error) }) else { return nil }
    self = reason
  }
}
