import GatewayCore
import GatewayKit
import GatewayTokens

/// A mint that makes new tokens with the meaning of a journal's. Each has its own vendor's form.
struct ReplayTokens {
  private let secret: String
  /// The last good one of each connection.
  private var last: [Int: String] = [:]

  /// By the secret that the space signs with.
  init(secret: String) { self.secret = secret }

  /// One that was made elsewhere.
  mutating func remember(_ token: String, of connection: Int) { last[connection] = token }

  private static let hour = Duration.seconds(3_600)
  private static let nobodys = "no-token"

  /// A token that means the same, presented by that connection at that time of day; nil where the vendor's are not signed with
  /// the space's secret.
  ///
  /// - Parameter late: How much later than then that is. The token ends when it ended then.
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

  /// Makes a token as `postern token mint` would: with the usual flags, and those of the vendor.
  private func mint(
    _ presented: ReplayScript.Presented, _ vendor: any OfferedVendor.Type, _ from: WallTime, _ to: WallTime?,
    secret: String? = nil
  ) -> String? {
    var arguments = Arguments(flags: TokenFlags.minting() + TokenKeys.flags + vendor.tokens.mintFlags)
    func give(_ name: String, _ text: String) { arguments.given[name] = [.init(text: text, source: "--\(name)")] }
    give("secret", secret ?? self.secret)
    give("user", presented.user)
    if presented.kind != UserKind.regular.rawValue { give("kind", presented.kind) }
    for (name, text) in vendor.tokens.lifeFlags(from: from, until: to) { give(name, text) }
    return try? vendor.mint(arguments, at: from)
  }
}
