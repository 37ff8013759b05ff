package import GatewayCore
internal import GatewayTokens

/// A token that is asked for, after every check: one for ann, a guest, that is good for ten minutes, for instance.
package struct TokenOrder: Hashable, Sendable {
  package var user: UserID
  package var kind: UserKind
  /// Nil for the provider's default.
  package var life: TokenLife?
  /// The calls a call token opens; nil for a token of another kind.
  package var calls: [CallID]?
  /// Whose form the token has; nil for the gateway's own.
  package var scheme: String?

  package init(user: UserID, kind: UserKind, life: TokenLife?, calls: [CallID]?, scheme: String? = nil) {
    self.user = user
    self.kind = kind
    self.life = life
    self.calls = calls
    self.scheme = scheme
  }
}

/// A token that was made, and when it ends: ann's JWT with its `exp`, for instance.
package struct MintedToken: Hashable, Sendable {
  package var credentials: Credentials
  package var issuedAt: WallTime
  /// Nil for a token that never expires.
  package var expiresAt: WallTime?
  /// Whether it is to go out as it is, also where an opaque one was asked for in its place.
  package var isAsItIs = false
  /// The provider's time of day, where that is not the gateway's.
  package var providerTime: WallTime?

  /// The same token, signed with a key that no gateway has; where it has no signature, its text read backwards.
  package var forged: MintedToken {
    var token = self
    let text = credentials.token
    token.credentials = Credentials(token: ForgedToken.of(text) ?? String(text.reversed()))
    token.isAsItIs = true
    return token
  }
}

extension TokenIssuer {
  /// The token of an order, alive from `now` on.
  package func mint(_ order: TokenOrder, at now: WallTime, defaultLife: Duration?) -> MintedToken {
    let expiresAt =
      switch order.life {
      case .until(let time): time
      case .lasting(let duration): now + duration
      case nil: defaultLife.map { now + $0 }
      }
    let credentials = mint(
      user: order.user, kind: order.kind, issuedAt: now, expiresAt: expiresAt, calls: order.calls)
    return MintedToken(credentials: credentials, issuedAt: now, expiresAt: expiresAt)
  }
}
