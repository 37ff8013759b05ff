import GatewayCore
import GatewayJSON
import GatewayTokens
import Synchronization

/// The claims of the parrot's tokens: JWTs whose `sub` is the user, and `kind` may be `guest`.
struct ParrotClaims {
  let user: UserID
  let kind: UserKind

  init(_ claims: JWTClaims) throws(TokenError) {
    guard let name = claims["sub"]?.string, (1...UserID.lengthMax).contains(name.utf8.count) else {
      throw .claimMissing("sub")
    }
    user = UserID(name)
    kind = user == .anonymous ? .anonymous : claims["kind"]?.string == "guest" ? .guest : .regular
  }
}

/// An authenticator of the parrot's tokens.
struct ParrotAuthenticator: Authenticator {
  let verifier: JWTVerifier

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    do throws(TokenError) {
      let claims = try verifier.verify(credentials.token, at: now)
      let read = try ParrotClaims(claims)
      return .decided(
        .success(
          VerifiedToken(
            user: read.user, kind: read.kind, fingerprint: TokenFingerprint(of: credentials.token),
            issuedAt: claims.issuedAt, expiresAt: claims.expiresAt)))
    } catch {
      return .decided(.failure(error.gatewayError))
    }
  }
}

/// An issuer of the parrot's tokens, for the gateway's token provider and for storms without one.
final class ParrotTokenIssuer: TokenIssuer {
  private let signer: JWTSigner
  private let serial = Atomic<UInt64>(0)

  init(signer: JWTSigner) {
    self.signer = signer
  }

  func mint(user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?) -> Credentials {
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    let claims = JSONWriter.object { json in
      json.member("sub", user.rawValue)
      json.member("kind", kind.rawValue)
      json.member("jti", "\(issuedAt.nanoseconds)-\(number)")
      json.name("iat")
      json.raw(NumericDate.text(issuedAt))
      if let expiresAt {
        json.name("exp")
        json.raw(NumericDate.text(expiresAt))
      }
    }
    return Credentials(token: signer.sign(claims))
  }
}
