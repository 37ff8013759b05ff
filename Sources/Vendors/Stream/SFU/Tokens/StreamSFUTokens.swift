internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The signer and verifier of the SFU's tokens. Its secret exists only in this process: the coordinator does not accept
/// these tokens, and the SFU does not accept the coordinator's. After a restart the old tokens are invalid, and clients
/// join again.
struct StreamSFUTokens: Sendable {
  private static let issuer = "postern-sfu"

  private let signer: JWTSigner
  private let verifier: JWTVerifier
  private let life: Duration
  private let secrets: Secrets

  /// Creates a signer with a new secret.
  ///
  /// - Parameter life: The validity of a token.
  init(life: Duration, secrets: Secrets) {
    self.secrets = secrets
    do throws(KeyError) {
      let secret = try KeyMaterial.secret(secrets.bytes(32))
      signer = try JWTSigner(secret)
      var policy = TokenPolicy()
      policy.leeway = .zero
      policy.issuer = Name(Self.issuer)
      policy.requiresExpiry = true
      verifier = JWTVerifier(keys: try KeySet([VerificationKey(secret)]), policy: policy)
    } catch {
      preconditionFailure("32 bytes of chance are a secret: \(error)")
    }
    self.life = life
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
