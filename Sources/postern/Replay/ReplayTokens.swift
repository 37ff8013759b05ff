import GatewayCore
import GatewayPlain
import GatewayTokens

/// Mints tokens anew from what those of a journal meant: one of bob's where ann's connection was shown one, for instance.
struct ReplayTokens {
  private let issuer: PlainTokenIssuer
  private let stranger: PlainTokenIssuer
  /// The last good one of each connection.
  private var last: [Int: String] = [:]

  /// By the secret that the space signs with.
  init(secret: String) throws {
    issuer = PlainTokenIssuer(signer: try JWTSigner(try KeyMaterial.secret(Array(secret.utf8))))
    let other = Array("\(secret), but somebody else's".utf8)
    stranger = PlainTokenIssuer(signer: try JWTSigner(try KeyMaterial.secret(other)))
  }

  private static let hour = Duration.seconds(3_600)

  /// A token that means the same, presented by that connection at that time of day.
  mutating func token(_ presented: ReplayScript.Presented, by connection: Int, at now: WallTime) -> String {
    let kind = UserKind(rawValue: presented.kind) ?? .regular
    let user = UserID(presented.user)
    switch presented.refusal {
    case nil:
      let token = mint(user, kind, now, presented.life.map { now + $0 })
      last[connection] = token
      return token
    case "token_expired": return mint(user, kind, now + Self.hour * -48, now + Self.hour * -24)
    case "token_revoked": return mint(user, kind, now + Self.hour * -1, now + Self.hour)
    case "token_used_before_issued": return mint(user, kind, now + Self.hour * 24, now + Self.hour * 48)
    case "user_mismatch": return mint(UserID("\(presented.user)-or-somebody-else"), kind, now, now + Self.hour)
    case "token_not_renewed": return last[connection] ?? mint(user, kind, now, now + Self.hour)
    case "signature_invalid":
      return stranger.mint(user: user, kind: kind, issuedAt: now, expiresAt: now + Self.hour, calls: nil).token
    case "anonymous_refused":
      return mint(user, .anonymous, now, now + Self.hour)
    default: return "no-token"
    }
  }

  private func mint(_ user: UserID, _ kind: UserKind, _ from: WallTime, _ to: WallTime?) -> String {
    issuer.mint(user: user, kind: kind, issuedAt: from, expiresAt: to, calls: nil).token
  }
}
