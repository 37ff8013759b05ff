import GatewayCore
import GatewayKit
import GatewayTokens

/// A mint that recreates a journal's tokens from their meaning, each in its vendor's form.
struct ReplayTokens {
  private let secret: String
  /// The last valid token of each connection.
  private var last: [Int: String] = [:]

  /// Creates a mint with the secret that the space signs with.
  init(secret: String) { self.secret = secret }

  /// Remembers a token that another mint made.
  mutating func remember(_ token: String, of connection: Int) { last[connection] = token }

  private static let hour = Duration.seconds(3_600)
  private static let nobodys = "no-token"

  /// Returns an equivalent token for a connection; nil if the vendor does not sign with the space's secret.
  ///
  /// - Parameters:
  ///   - presented: The credentials to recreate.
  ///   - connection: The connection that presents them.
  ///   - vendor: The vendor whose form the token has.
  ///   - now: The time of day.
  ///   - late: How much later than recorded that is. The token still expires at the recorded time.
  mutating func token(
    _ presented: ReplayScript.Presented, by connection: Int, of vendor: any OfferedVendor.Type, at now: WallTime,
    late: Duration
  ) -> String? {
    switch presented.refusal {
    case nil:
      let token = mint(presented, vendor, now, presented.life.map { now + $0 - late })
      if let token { last[connection] = token }
      return token
    case "token_expired": return mint(presented, vendor, now + Self.hour * -48, now + Self.hour * -24)
    case "token_revoked": return mint(presented, vendor, now + Self.hour * -1, now + Self.hour)
    case "token_used_before_issued": return mint(presented, vendor, now + Self.hour * 24, now + Self.hour * 48)
    case "user_mismatch":
      var other = presented
      other.user = "\(presented.user)-or-somebody-else"
      return mint(other, vendor, now, now + Self.hour)
    case "token_not_renewed": return last[connection] ?? mint(presented, vendor, now, now + Self.hour)
    case "signature_invalid":
      return mint(presented, vendor, now, now + Self.hour, secret: "\(secret), but somebody else's")
    case "anonymous_refused":
      var anonymous = presented
      anonymous.kind = UserKind.anonymous.rawValue
      return mint(anonymous, vendor, now, now + Self.hour)
    default: return Self.nobodys
    }
  }

  /// Mints like `postern token mint`, with the usual flags and the vendor's flags.
  private func mint(
    _ presented: ReplayScript.Presented, _ vendor: any OfferedVendor.Type, _ from: WallTime, _ to: WallTime?,
    secret: String? = nil
  ) -> String? {
    var arguments = Arguments(flags: MintDraft.flags() + TokenKeys.flags + vendor.tokens.mintFlags)
    func give(_ name: String, _ text: String) { arguments.given[name] = [.init(text: text, source: "--\(name)")] }
    give("secret", secret ?? self.secret)
    give("user", presented.user)
    if presented.kind != UserKind.regular.rawValue { give("kind", presented.kind) }
    for (name, text) in vendor.tokens.lifeFlags(from: from, until: to) { give(name, text) }
    return try? vendor.mint(arguments, at: from)
  }
}
