package import GatewayCore
package import GatewayKit

/// A fault of the token provider that costs time: 5 s for each token, for instance.
package protocol ProviderDelay: Fault {
  /// How long the next order waits; nil for ever.
  func delay(at now: Instant) -> Duration?
}

/// A fault of what the token provider answers: a token that has expired, for instance.
package protocol ProviderAnswer: Fault {
  /// What is answered to the order. Throws what is said in place of a token.
  func answer(to order: ProviderOrder) throws(TokenRefusal) -> MintedToken
}

/// A token that is ordered, and who can make it: ann's of ten minutes, for instance.
package struct ProviderOrder: Sendable {
  package var order: TokenOrder
  /// What the issuer's clock shows.
  package var now: WallTime
  /// The user's last token of that form; nil if there was none.
  package let last: MintedToken?
  let issuer: any TokenIssuer
  let defaultLife: Duration?

  /// The token as it should be.
  package var minted: MintedToken { issuer.mint(order, at: now, defaultLife: defaultLife) }

  /// How long the token is to live; nil for ever.
  package var life: Duration? {
    switch order.life {
    case .until(let time): time - now
    case .lasting(let duration): duration
    case nil: defaultLife
    }
  }
}

/// A fault of the clock of whoever issues the tokens: 30 s behind, they are dated too early, for instance.
package protocol IssuerClockFault: Fault {
  var error: ClockError { get }
}
