package import GatewayCore
internal import GatewayTokens

/// A request for a token that has passed every check.
package struct TokenOrder: Hashable, Sendable {
  package var user: UserID
  package var kind: UserKind
  /// The token's life; nil for the provider's default.
  package var life: TokenLife?
  /// The calls that a call token opens; nil for a token of another kind.
  package var calls: [CallID]?
  /// The scheme that decides the token's form; nil for the gateway's own.
  package var scheme: String?
  /// The caller's address, as budgets count it: an IPv6 address by its first 64 bits. Nil if it is unknown.
  package var address: Name?
  /// The refresh token in place of a login; nil for a login.
  package var refreshToken: Credentials?

  package init(user: UserID, kind: UserKind, life: TokenLife?, calls: [CallID]?, scheme: String? = nil) {
    self.user = user
    self.kind = kind
    self.life = life
    self.calls = calls
    self.scheme = scheme
  }
}

/// A minted token and its expiry.
package struct MintedToken: Hashable, Sendable {
  package var credentials: Credentials
  package var issuedAt: WallTime
  /// The expiry; nil for a token that never expires.
  package var expiresAt: WallTime?
  /// The refresh token for the next one; nil if the provider gives none.
  package var refreshToken: Credentials?
  /// Whether it must be sent unchanged, even if an opaque token was requested.
  package var isAsItIs = false
  /// The provider's time of day, if it differs from the gateway's.
  package var providerTime: WallTime?

  /// Returns the token with another signature, of a key that no gateway has. A text without a signature is reversed.
  package static func forging(_ token: String) -> String { ForgedToken.of(token) ?? String(token.reversed()) }
}

extension TokenIssuer {
  /// Returns the token of an order, valid from `now` on.
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
