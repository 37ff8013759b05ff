internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// The signer and verifier of the SFU's tokens. They have a secret of their own, which the store keeps: the coordinator does
/// not accept these tokens, and the SFU does not accept the coordinator's.
struct StreamSFUTokens: Sendable {
  private static let issuer = "postern-sfu"

  private let signer: JWTSigner
  private let verifier: JWTVerifier
  private let life: Duration
  private let secrets: Secrets
  private let madeSecret: [UInt8]
  private static let keptName = "stream.sfu"

  /// Creates a signer with a new secret.
  ///
  /// - Parameter life: The validity of a token.
  init(life: Duration, secrets: Secrets) {
    self.secrets = secrets
    madeSecret = secrets.bytes(32)
    do throws(KeyError) {
      (signer, verifier) = try Self.keys(madeSecret)
    } catch {
      preconditionFailure("32 bytes of chance are a secret: \(error)")
    }
    self.life = life
  }

  private static func keys(_ bytes: [UInt8]) throws(KeyError) -> (JWTSigner, JWTVerifier) {
    let secret = try KeyMaterial.secret(bytes)
    var policy = TokenPolicy()
    policy.leeway = .zero
    policy.issuer = Name(Self.issuer)
    policy.requiresExpiry = true
    return (try JWTSigner(secret), JWTVerifier(keys: try KeySet([VerificationKey(secret)]), policy: policy))
  }

  /// Signs and verifies with the store's secret from here on, which is this one's if the store has none.
  func keepSecret(in store: any Store, at now: WallTime) async throws(GatewayError) {
    let kept = try await StoredSecret.bytes(Self.keptName, in: store, at: now) { madeSecret }
    do throws(KeyError) {
      let keys = try Self.keys(kept)
      signer.takeKey(of: keys.0)
      verifier.takeKeys(of: keys.1)
    } catch {
      throw StoredSecret.damage(Self.keptName)
    }
  }

  /// Returns a token that admits `user` to `call` from `now` on.
  func mint(_ user: UserID, _ kind: UserKind, call: CallID, role: Name?, at now: WallTime) -> String {
    let second: Int64 = 1_000_000_000
    let claims = JSONWriter.object { json in
      json.member("iss", Self.issuer)
      json.member("user_id", user.rawValue)
      json.member("kind", kind.rawValue)
      json.member("call_cid", call.cid)
      if let role { json.member("role", role.text) }
      json.member("iat", now.nanoseconds / second)
      // Rounded up, so that a token lives at least as long as promised.
      json.member("exp", (now + life - .nanoseconds(1)).nanoseconds / second + 1)
      // Two joins in one second get different tokens.
      json.member("jti", Base64URL.encode(secrets.bytes(12)))
    }
    return signer.sign(claims)
  }

  /// Returns the content of the token, if it was signed here and is valid at `now`.
  func read(_ token: String, at now: WallTime) throws(GatewayError) -> StreamSFUToken {
    guard !token.isEmpty else { throw .credentialsMissing.worded("the token of the join's credentials is missing") }
    do throws(TokenError) {
      let claims = try verifier.verify(token, at: now)
      guard let user = claims["user_id"]?.string, let call = claims["call_cid"]?.string.flatMap(CallID.init(cid:)),
        let kind = claims["kind"]?.string.flatMap(UserKind.init(rawValue:)), let issuedAt = claims.issuedAt,
        let expiresAt = claims.expiresAt
      else { throw TokenError.signature }
      return StreamSFUToken(
        user: UserID(user), kind: kind, call: call, role: claims["role"]?.string, issuedAt: issuedAt,
        expiresAt: expiresAt, fingerprint: TokenFingerprint(of: token))
    } catch {
      switch error {
      case .expired: throw .tokenExpired
      case .signature, .keyUnknown: throw .signatureInvalid.worded("the token is of no join of this gateway")
      default: throw .tokenMalformed.detailed("\(error)")
      }
    }
  }
}
