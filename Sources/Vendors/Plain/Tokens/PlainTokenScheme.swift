package import GatewayCore
internal import GatewayJSON
package import GatewayTokens

/// The plain dialect's claims: `user_id` (or `sub`), `kind`, `call_cids`, and the dates of RFC 7519.
package enum PlainTokenScheme {
  /// The maximum number of calls that a token may list.
  package static let callsMax = 100

  /// Returns the content of verified claims; throws the claim that is missing or invalid.
  ///
  /// - Parameters:
  ///   - claims: The claims.
  ///   - fingerprint: The fingerprint of the token.
  ///   - member: The claim that names the user; nil for `user_id` or `sub`.
  package static func read(
    _ claims: JWTClaims, fingerprint: TokenFingerprint, user member: String? = nil
  ) throws(TokenError) -> VerifiedToken {
    let user = try user(claims, member)
    let kind = try kind(claims, of: user)
    let calls = try calls(claims)
    if kind == .anonymous {
      // A visitor without a name is admitted by the token's calls and expiry: neither may be missing.
      guard claims.expiresAt != nil else { throw .claimMissing("exp") }
      guard calls != nil else { throw .claimMissing("call_cids") }
    }
    let id = claims["jti"]
    if let id, id.kind != .string { throw .claimInvalid("jti", expected: "a string") }
    var verified = VerifiedToken(
      user: user, kind: kind, fingerprint: fingerprint, id: id?.string, issuedAt: claims.issuedAt,
      expiresAt: claims.expiresAt, calls: calls)
    verified.doubt = NumericDate.doubt(claims["exp"])
    return verified
  }

  private static func user(_ claims: JWTClaims, _ member: String?) throws(TokenError) -> UserID {
    let owner = claims.owner
    let (name, claim): (String, JSONView?) =
      if let member = member ?? owner?.users.claim { (member, claims.payload[member: member]) } else {
        claims["user_id"].map { ("user_id", $0) } ?? ("sub", claims["sub"])
      }
    guard let claim else { throw .claimMissing(member ?? owner?.users.claim ?? "user_id") }
    if let owner, let text = claim.string { return try owner.user(text, in: name) }
    guard let text = claim.string, (1...UserID.lengthMax).contains(text.utf8.count) else {
      throw .claimInvalid(name, expected: "a string of 1 to \(UserID.lengthMax) bytes")
    }
    return UserID(text)
  }

  /// Returns the user's kind: only the reserved user is anonymous, whatever `kind` says.
  private static func kind(_ claims: JWTClaims, of user: UserID) throws(TokenError) -> UserKind {
    guard let claim = claims["kind"] else { return user == .anonymous ? .anonymous : .regular }
    let isAnonymous = user == .anonymous
    guard let kind = claim.string.flatMap(UserKind.init(rawValue:)), (kind == .anonymous) == isAnonymous else {
      throw .claimInvalid("kind", expected: isAnonymous ? "anonymous for the user !anon" : "regular or guest")
    }
    return kind
  }

  private static func calls(_ claims: JWTClaims) throws(TokenError) -> [CallID]? {
    guard let claim = claims["call_cids"] else { return nil }
    let invalid = TokenError.claimInvalid("call_cids", expected: "an array of 1 to \(callsMax) names type:id")
    guard claim.kind == .array, let count = claim.count, (1...callsMax).contains(count) else { throw invalid }
    var calls: [CallID] = []
    calls.reserveCapacity(count)
    for element in claim.elements ?? [] {
      guard let call = element.string.flatMap(CallID.init(cid:)) else { throw invalid }
      calls.append(call)
    }
    return calls
  }
}
