internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// An issuer of one application's registration tokens, like the vendor's server samples.
struct SinchTokenIssuer: TokenIssuer {
  private let application: Name
  private let secret: SinchSecret
  /// The time in which a token may be presented: `exp - iat`. The vendor's samples use 600 s.
  private static let life = Duration.seconds(600)
  /// The policy that will verify the tokens.
  private let policy: SinchTokenPolicy
  /// The source of nonces.
  private let secrets: Secrets

  init(
    application: Name, secret: SinchSecret, policy: SinchTokenPolicy = SinchTokenPolicy(), drawing secrets: Secrets
  ) {
    self.application = application
    self.secret = secret
    self.policy = policy
    self.secrets = secrets
  }

  /// Issues a token whose registration ends at `expiresAt`, which is the end of a session; nil for a registration
  /// without end. It may be presented for 600 s, or until the registration ends. Such a token lists no calls.
  ///
  /// If the end is below the vendor's minimum lives, the token contains the claim that allows it: a requested end is
  /// never left out.
  func mint(
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

  /// The claims of a token to issue.
  struct Claims: Sendable {
    var user: UserID
    var kind: UserKind = .regular
    var issuedAt: WallTime
    var expiresAt: WallTime
    var instanceEndsAt: WallTime?
    /// Nil for a new random one.
    var nonce: String?
    /// Whether the lives may be below the vendor's minimum.
    var isOfAnyLife = false
  }

  /// Returns a token with `claims` and the day of its issue in `kid`.
  func sign(_ claims: Claims) -> String {
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

/// A generator of unguessable names in the form of a UUID (RFC 9562 section 5.4), used for instances.
enum SinchIdentifier {
  static func make(from secrets: Secrets) -> String {
    var bytes = secrets.bytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }
}
