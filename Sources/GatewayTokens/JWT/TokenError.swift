package import GatewayCore
package import GatewayJSON

/// The check that a token failed. It never holds the token or any value from it, but an `iss` or `aud` that does not match.
package enum TokenError: Error, Hashable, Sendable {
  /// A segment of a compact JWS (RFC 7515 section 7.1).
  package enum Segment: String, Hashable, Sendable {
    case header, payload, signature
  }

  /// A claim that dates a token (RFC 7519 section 4.1).
  package enum DateClaim: String, Hashable, Sendable {
    case expiration = "exp"
    case notBefore = "nbf"
    case issuedAt = "iat"
  }

  /// Longer than the limit; nothing else was checked.
  case tooLarge(limit: Int)
  /// Not three segments between two dots.
  case notThreeSegments
  /// Not strict base64url.
  case encoding(Segment)
  /// Not a JSON object, or one with a duplicate member.
  case json(Segment, JSONError)
  /// `alg` is missing or no string.
  case algorithmMissing
  /// `alg` is `none`: the token is not signed.
  case unsigned
  /// `alg` names an algorithm that the gateway does not support.
  case algorithmUnknown
  /// The keys that match the token are not for this algorithm.
  case algorithmNotForKey
  /// `crit` is not a list of extensions that are all understood and present (RFC 7515 section 4.1.11).
  case criticalHeader
  /// `b64` is not true (RFC 7797 section 7).
  case unencodedPayload
  /// A header parameter of the wrong kind.
  case headerParameter(String)
  /// `typ` is not the expected one (RFC 8725 section 3.11).
  case typeMismatch
  /// No key matches the token's `kid`.
  case keyUnknown
  /// The key's end date has passed.
  case keyEnded
  /// No key verifies the signature.
  case signature
  /// A date claim that is not a number.
  case dateInvalid(DateClaim)
  /// A required claim is missing.
  case claimMissing(String)
  /// A claim has an invalid value, other than the expected kind.
  case claimInvalid(String, expected: String)
  /// On or after `exp`, leeway included (RFC 7519 section 4.1.4).
  case expired
  /// Before `nbf`, or issued in the future, leeway included.
  case notYetValid(DateClaim)
  /// `iss` is not the expected one.
  case issuerMismatch(ClaimMismatch)
  /// `aud` contains none of the expected audiences (RFC 7519 section 4.1.3).
  case audienceMismatch(ClaimMismatch)

  /// The stable name of the check: that of the header parameter or claim if there is one.
  package var check: String {
    switch self {
    case .tooLarge: "size"
    case .notThreeSegments: "segments"
    case .encoding: "encoding"
    case .json: "json"
    case .algorithmMissing, .unsigned, .algorithmUnknown, .algorithmNotForKey: "alg"
    case .criticalHeader: "crit"
    case .unencodedPayload: "b64"
    case .headerParameter(let name): name
    case .typeMismatch: "typ"
    case .keyUnknown: "kid"
    case .keyEnded: "key"
    case .signature: "signature"
    case .dateInvalid(let claim), .notYetValid(let claim): claim.rawValue
    case .claimMissing(let name), .claimInvalid(let name, _): name
    case .expired: "exp"
    case .issuerMismatch: "iss"
    case .audienceMismatch: "aud"
    }
  }

  /// The error that is sent to the client.
  package var gatewayError: GatewayError {
    switch self {
    case .tooLarge, .notThreeSegments, .encoding, .json, .algorithmMissing, .criticalHeader, .unencodedPayload,
      .headerParameter, .typeMismatch:
      .tokenMalformed.detailed(description)
    case .unsigned, .algorithmUnknown, .algorithmNotForKey: .algorithmRefused.detailed(description)
    case .keyUnknown: .keyUnknown
    case .keyEnded: .keyUnknown.detailed(description)
    case .signature: .signatureInvalid
    case .dateInvalid, .claimMissing, .claimInvalid: .claimInvalid.detailed(description)
    case .expired: .tokenExpired
    case .notYetValid: .tokenNotYetValid.detailed(description)
    case .issuerMismatch(let mismatch): .issuerMismatch.showing(mismatch)
    case .audienceMismatch(let mismatch): .audienceMismatch.showing(mismatch)
    }
  }
}

extension TokenError: CustomStringConvertible {
  /// One clause: the failed check and the expected value.
  package var description: String {
    switch self {
    case .tooLarge(let limit): "longer than \(limit) bytes"
    case .notThreeSegments: "not three segments joined by two dots"
    case .encoding(let segment): "the \(segment.rawValue) is not strict base64url without padding"
    case .json(let segment, let error): "the \(segment.rawValue) is not strictly one JSON object (\(error))"
    case .algorithmMissing: "the header has no alg"
    case .unsigned: "alg none is no signature"
    case .algorithmUnknown: "alg is none of \(JWTAlgorithm.allCases.map(\.name).joined(separator: ", "))"
    case .algorithmNotForKey: "the key is not for the token's alg"
    case .criticalHeader: "crit names what is not understood"
    case .unencodedPayload: "b64 must be true"
    case .headerParameter(let name): "\(name) in the header has the wrong kind of value"
    case .typeMismatch: "typ is not the expected one"
    case .keyUnknown: "no key has the token's kid"
    case .keyEnded: "the key's end date has passed"
    case .signature: "the signature does not verify"
    case .dateInvalid(let claim): "\(claim.rawValue) must be a number"
    case .claimMissing(let name): "\(name) is missing"
    case .claimInvalid(let name, let expected): "\(name) must be \(expected)"
    case .expired: "exp has passed"
    case .notYetValid(.issuedAt): "iat is in the future"
    case .notYetValid: "nbf is in the future"
    case .issuerMismatch: "iss is not the expected one"
    case .audienceMismatch: "aud does not name the expected audience"
    }
  }
}
