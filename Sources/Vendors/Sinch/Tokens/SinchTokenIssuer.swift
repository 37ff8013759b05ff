package import GatewayCore
internal import GatewayJSON
internal import GatewayKit
package import GatewayTokens

/// The mint of one application's registration tokens, good for 600 s for instance, as the vendor's server samples do.
package struct SinchTokenIssuer: TokenIssuer {
  private let application: Name
  private let secret: SinchSecret
  /// How long a token may be presented: `exp - iat`. The vendor's samples have 600 s.
  private static let life = Duration.seconds(600)
  /// What the tokens will be held to.
  private let policy: SinchTokenPolicy
  /// What nonces are made of.
  private let secrets: Secrets

  package init(
    application: Name, secret: SinchSecret, policy: SinchTokenPolicy = SinchTokenPolicy(), drawing secrets: Secrets
  ) {
    self.application = application
    self.secret = secret
    self.policy = policy
    self.secrets = secrets
  }

  /// A token whose registration ends at `expiresAt`, which is what a session lives by; never, where that is nil. It may be
  /// presented for 600 s, or until the registration ends. Calls are not listed in such a token.
  ///
  /// Where the vendor's least lives do not allow for that end, the token says that it is of any life: an end that is asked
  /// for is never left out.
  package func mint(
    user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
  ) -> Credentials {
    let last = issuedAt + min(Self.life, policy.tokenLifeMax ?? Self.life)
    let presentable = expiresAt.map { min($0, last) } ?? last
    let isShort =
      presentable - issuedAt < policy.tokenLifeMin || expiresAt.map { $0 - issuedAt < policy.instanceLifeMin } ?? false
    let claims = Claims(
      user: user, kind: kind, issuedAt: issuedAt, expiresAt: presentable, instanceEndsAt: expiresAt,
      isOfAnyLife: isShort)
    return Credentials(token: sign(claims))
  }

  /// The claims that a token is to have: ann's, from now on for 600 s, for instance.
  package struct Claims: Sendable {
    package var user: UserID
    package var kind: UserKind
    package var issuedAt: WallTime
    package var expiresAt: WallTime
    package var instanceEndsAt: WallTime?
    /// Nil for a new one by chance.
    package var nonce: String?
    /// Whether the lives may be shorter than the vendor's least.
    package var isOfAnyLife: Bool

    package init(
      user: UserID, kind: UserKind = .regular, issuedAt: WallTime, expiresAt: WallTime,
      instanceEndsAt: WallTime? = nil, nonce: String? = nil, isOfAnyLife: Bool = false
    ) {
      self.user = user
      self.kind = kind
      self.issuedAt = issuedAt
      self.expiresAt = expiresAt
      self.instanceEndsAt = instanceEndsAt
      self.nonce = nonce
      self.isOfAnyLife = isOfAnyLife
    }
  }

  /// The token that says `claims`, with the day of its issue in `kid`.
  package func sign(_ claims: Claims) -> String {
    let issuer = SinchRegistrationToken.issuerPrefix + application.text
    var json = JSONWriter()
    json.beginObject()
    json.member("iss", issuer)
    json.member("sub", "\(issuer)/users/\(claims.user.rawValue)")
    json.member("iat", secondsOf: claims.issuedAt.nanoseconds)
    json.member("exp", secondsOf: claims.expiresAt.nanoseconds)
    json.member("nonce", claims.nonce ?? SinchIdentifier.make(from: secrets))
    if let end = claims.instanceEndsAt { json.member("sinch:rtc:instance:exp", secondsOf: end.nanoseconds) }
    if claims.kind != .regular { json.member(SinchRegistrationToken.kindClaim, claims.kind.rawValue) }
    if claims.isOfAnyLife { json.member(SinchRegistrationToken.lifeClaim, SinchRegistrationToken.anyLife) }
    json.endObject()
    return Self.sign(json.bytes, secret: secret, keyID: SinchSigningKey.keyID(at: claims.issuedAt))
  }

  private static func sign(_ claims: [UInt8], secret: SinchSecret, keyID: String) -> String {
    let header = JSONWriter.object { json in
      json.member("alg", "HS256")
      json.member("kid", keyID)
    }
    var token: [UInt8] = []
    Base64URL.encode(header, to: &token)
    token.append(UInt8(ascii: "."))
    Base64URL.encode(claims, to: &token)
    let date = String(keyID.dropFirst(SinchSigningKey.prefix.count))
    let code = HMACSHA256.code(key: SinchSigningKey.derive(secret, date: date), token)
    token.append(UInt8(ascii: "."))
    Base64URL.encode(code, to: &token)
    return String(decoding: token, as: UTF8.self)
  }
}

/// A name that nobody can guess, in the form of a UUID (RFC 9562 section 5.4): that of an instance, for instance.
enum SinchIdentifier {
  static func make(from secrets: Secrets) -> String {
    var bytes = secrets.bytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }
}
