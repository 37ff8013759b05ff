internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The seal of the SFU's stand-in, which signs and reads its tokens, ann's for `default:standup` for instance, with a
/// secret of its own that nobody else knows: they open nothing at the coordinator, nor the coordinator's anything here.
/// A process that starts anew knows none of the old ones, and clients join again.
struct StreamSFUTokens: Sendable {
  private static let issuer = "postern-sfu"

  private let signer: JWTSigner
  private let verifier: JWTVerifier
  private let life: Duration
  private let secrets: Secrets

  /// - Parameter life: How long a token is good.
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

  /// A token that lets `user` into `call` from `now` on.
  func mint(_ user: UserID, _ kind: UserKind, call: CallID, role: Name?, at now: WallTime) -> String {
    let second: Int64 = 1_000_000_000
    let claims = JSONWriter.object { json in
      json.member("iss", Self.issuer)
      json.member("user_id", user.rawValue)
      json.member("kind", kind.rawValue)
      json.member("call_cid", call.cid)
      if let role { json.member("role", role.text) }
      json.member("iat", now.nanoseconds / second)
      // Up, so that a token lives at least as long as it is said to.
      json.member("exp", (now + life - .nanoseconds(1)).nanoseconds / second + 1)
      // Two joins of one second are two tokens.
      json.member("jti", Base64URL.encode(secrets.bytes(12)))
    }
    return signer.sign(claims)
  }

  /// What the token says, if it is one of these and good at `now`.
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
