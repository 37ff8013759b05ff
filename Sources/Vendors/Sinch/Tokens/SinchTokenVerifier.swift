internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The verifier of registration tokens.
///
/// Immutable, synchronous and without locks, so that all loops share one.
struct SinchTokenVerifier: Sendable {
  let applications: SinchApplications
  let policy: SinchTokenPolicy

  /// The maximum size of a token in bytes.
  static let sizeMax = 8192

  init(applications: SinchApplications, policy: SinchTokenPolicy = SinchTokenPolicy()) {
    self.applications = applications
    self.policy = policy
  }

  /// Returns the content of `token` if every check passes at `now`. `user` and `application` are the client's own
  /// statements, nil if it made none.
  func verify(
    _ token: String, user: UserID? = nil, application: Name? = nil, at now: WallTime
  ) throws(SinchRefusal) -> SinchRegistrationToken {
    let parts = try Self.parse(token)
    // Only the header decides whether a key is derived; nothing is derived from a `kid` of the wrong form.
    guard parts.header["alg"]?.equals("HS256") == true else { throw .algorithmNotAllowed }
    guard let keyID = parts.header["kid"]?.string, let date = SinchSigningKey.date(of: keyID) else {
      throw .keyIDInvalid
    }
    let known = try findApplication(parts.claims)
    try Self.checkSignature(parts, of: known, date: date.digits)
    let claims = try SinchClaims(parts.claims)
    let verified = try readSubject(claims, known.key, TokenFingerprint(of: token))
    if let user, user != verified.user { throw .userMismatch }
    if let application, application != verified.application { throw .userMismatch }
    try checkKeyDate(date.day, claims.issuedAt)
    try checkDates(claims, at: now)
    return verified
  }

  /// Returns the error for a token that was refused, with its `iss` if that is the cause.
  static func error(for refusal: SinchRefusal, of token: String) -> GatewayError {
    guard refusal == .issuerInvalid else { return refusal.gatewayError }
    let issuer = (try? parse(token))?.claims["iss"]?.string
    return refusal.gatewayError.showing(
      ClaimMismatch(expected: [SinchRegistrationToken.issuerPrefix + "…"], presented: issuer.map { [$0] } ?? []))
  }

  /// The parts of a token.
  private struct Parts {
    var header: JSONView
    var claims: JSONView
    var signature: [UInt8]
    /// The first two segments with the dot between them.
    var signed: ArraySlice<UInt8>
  }

  /// Splits and decodes a token. `crit` names extensions that must be understood (RFC 7515 section 4.1.11); none are.
  private static func parse(_ token: String) throws(SinchRefusal) -> Parts {
    guard token.utf8.count <= sizeMax else { throw .malformed }
    let text = Array(token.utf8)
    let segments = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 3,
      let header = decode(segments[0]).flatMap(SinchJSON.object), header["crit"] == nil,
      let claims = decode(segments[1]).flatMap(SinchJSON.object), let signature = decode(segments[2])
    else { throw .malformed }
    return Parts(
      header: header, claims: claims, signature: signature, signed: text[..<segments[1].endIndex])
  }

  private static func decode(_ segment: ArraySlice<UInt8>) -> [UInt8]? {
    Base64URL.decode(String(decoding: segment, as: UTF8.self))
  }

  /// Returns the application in the claims, which are not verified yet: only for finding the key.
  private func findApplication(_ claims: JSONView) throws(SinchRefusal) -> SinchApplication {
    let prefix = SinchRegistrationToken.issuerPrefix.utf8
    guard let issuer = claims["iss"]?.string, issuer.utf8.starts(with: prefix) else { throw .issuerInvalid }
    let key = String(decoding: issuer.utf8.dropFirst(prefix.count), as: UTF8.self)
    guard !key.isEmpty, !key.utf8.contains(UInt8(ascii: "/")) else { throw .issuerInvalid }
    guard let application = applications[Name(key)] else { throw .unknownApplication }
    return application
  }

  private static func checkSignature(
    _ parts: Parts, of application: SinchApplication, date: String
  ) throws(SinchRefusal) {
    var isRight = false
    for secret in application.secrets {
      let code = HMACSHA256.code(key: SinchSigningKey.derive(secret, date: date), parts.signed)
      if ConstantTime.areEqual(code, parts.signature) { isRight = true }
    }
    guard isRight else { throw .badSignature }
  }

  private func readSubject(
    _ claims: SinchClaims, _ key: Name, _ fingerprint: TokenFingerprint
  ) throws(SinchRefusal) -> SinchRegistrationToken {
    let prefix = SinchRegistrationToken.issuerPrefix + key.text + "/users/"
    guard claims.subject.utf8.starts(with: prefix.utf8) else { throw .subjectInvalid }
    let user = String(decoding: claims.subject.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    guard SinchUserName.isCurrent(user) else { throw .userIDInvalid }
    return SinchRegistrationToken(
      application: key, user: UserID(user), kind: claims.kind, nonce: claims.nonce, issuedAt: claims.issuedAt,
      expiresAt: claims.expiresAt, instanceEndsAt: claims.instanceEndsAt, fingerprint: fingerprint)
  }

  private func checkKeyDate(_ day: Int64, _ issuedAt: WallTime) throws(SinchRefusal) {
    let tolerance = Int64(policy.kidDateToleranceDays)
    let first = SinchCalendar.day(of: issuedAt - policy.clockSkew) - tolerance
    let last = SinchCalendar.day(of: issuedAt + policy.clockSkew) + tolerance
    guard first <= day, day <= last else { throw .keyDateMismatch }
  }

  private func checkDates(_ claims: SinchClaims, at now: WallTime) throws(SinchRefusal) {
    let life = claims.expiresAt - claims.issuedAt
    guard life >= policy.tokenLifeMin || claims.isOfAnyLife else { throw .lifeTooShort }
    if let most = policy.tokenLifeMax, life > most { throw .lifeTooLong }
    if claims.issuedAt > now + policy.clockSkew { throw .notYetValid }
    if now >= claims.expiresAt + policy.clockSkew { throw .expired }
    guard let end = claims.instanceEndsAt else { return }
    guard end - claims.issuedAt >= policy.instanceLifeMin || claims.isOfAnyLife else { throw .instanceLifeTooShort }
    // The registration would be over already.
    guard end > now else { throw .expired }
  }
}
