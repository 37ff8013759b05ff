package import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The line of a recording about a token that is a JWT. Nothing of it is verified.
package struct NamedToken: Hashable, Sendable {
  /// E.g. `token-1`.
  package let name: String
  /// When the token was issued; nil if it does not say.
  package let issued: WallTime?
  /// When it ends; nil if it does not say.
  package let end: WallTime?
  /// The user of its `sub` or `user_id`; nil for none, or a name of more than 256 bytes.
  package let user: String?

  package init(name: String, issued: WallTime?, end: WallTime?, user: String?) {
    (self.name, self.issued, self.end, self.user) = (name, issued, end, user)
  }

  private static let userMax = 256
  private static let timeMax = 1e11

  /// Reads the token; nil if it is no JWT.
  init?(_ token: String, name: String) {
    guard let payload = try? UnverifiedToken(token).payload else { return nil }
    let time = { (member: String) -> WallTime? in
      payload[member: member]?.number.flatMap { (0...Self.timeMax).contains($0) ? WallTime(seconds: $0) : nil }
    }
    let user = ["sub", "user_id"].lazy.compactMap { payload[member: $0]?.string }.first {
      (1...Self.userMax).contains($0.utf8.count)
    }
    self.init(name: name, issued: time("iat"), end: time("exp"), user: user)
  }
}
