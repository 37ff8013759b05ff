package import GatewayCore
package import GatewayKit

/// A fault of the token provider that delays its answer.
package protocol ProviderDelay: Fault {
  /// Returns the delay of the next order; nil for ever.
  func delay(at now: Instant) -> Duration?
}

/// A fault of the token provider's answer, e.g. a token that has expired.
package protocol ProviderAnswer: Fault {
  /// Returns the token for the order. Throws the answer if there is no token.
  func answer(to order: ProviderOrder) throws(TokenRefusal) -> MintedToken
}

/// An order for a token, with the issuer that can mint it.
package struct ProviderOrder: Sendable {
  package var order: TokenOrder
  /// The time on the issuer's clock.
  package var now: WallTime
  /// The user's last token of that form; nil if there was none.
  package let last: MintedToken?
  let issuer: any TokenIssuer
  let defaultLife: Duration?

  /// The token without faults.
  package var minted: MintedToken { issuer.mint(order, at: now, defaultLife: defaultLife) }

  /// The intended life of the token; nil for ever.
  package var life: Duration? {
    switch order.life {
    case .until(let time): time - now
    case .lasting(let duration): duration
    case nil: defaultLife
    }
  }
}

/// A fault of the clock of the tokens' issuer. If it is 30 s behind, tokens are dated too early.
package protocol IssuerClockFault: Fault {
  var error: ClockError { get }
}
