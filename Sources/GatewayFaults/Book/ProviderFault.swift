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

/// A fault that refuses requests for tokens, of the gateway's own provider and of others.
package protocol ProviderRefusal: ProviderAnswer {
  /// Throws the answer if no token may be made. The user and the address are nil if they are not known.
  func refuse(user: UserID?, address: Name?, at now: WallTime) throws(TokenRefusal)
}

extension ProviderRefusal {
  package func answer(to order: ProviderOrder) throws(TokenRefusal) -> MintedToken {
    try refuse(user: order.order.user, address: order.order.address, at: order.now)
    return order.minted
  }
}

/// A fault that changes the text of a token, of the gateway's own provider and of others.
package protocol TokenTextFault: ProviderAnswer {
  func changed(_ token: String) -> String
}

extension TokenTextFault {
  package func answer(to order: ProviderOrder) -> MintedToken {
    var token = order.minted
    token.credentials = Credentials(token: changed(token.credentials.token))
    token.isAsItIs = true
    return token
  }
}

/// A fault that gives another token than the right one. A proxy, which mints none, gives one that it has seen.
package protocol OtherTokenFault: ProviderAnswer {
  /// Returns the token for the user; nil if none that fits was seen.
  func token(of user: UserID, among seen: any SeenTokens) -> String?

  /// Returns why an order of the fault can have no effect yet; nil if it can.
  func lack(in seen: any SeenTokens, of users: Set<UserID>) -> String?
}

/// A fault of the life of a token that clients are told, in messages and by a token endpoint.
package protocol LifeFault: MessageFault {
  var life: Duration { get }

  /// Whether the answers of a token endpoint are affected too.
  var isOfTokens: Bool { get }
}

/// The tokens that a proxy has seen. Only on its loop.
package protocol SeenTokens: Sendable {
  /// Returns the user's last token; nil if none was seen.
  func last(of user: UserID) -> String?

  /// Returns a token of the user's that has expired; nil if none was seen.
  func expired(of user: UserID) -> String?

  /// Whether an expired token was seen, of any user.
  var hasExpired: Bool { get }
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
