/// One vendor's wire format, the client's side: what a fleet of clients says and hears.
package protocol ClientDialect: Sendable {
  /// The stable name, the same as the ``Dialect``'s.
  var name: String { get }

  /// The path and query of the upgrade request below the gateway's address, without a token.
  var upgradeTarget: String { get }

  /// What the client says on the wire.
  func encode(_ message: ClientMessage) -> Frame

  /// What the gateway said; nil for what a client has no need to understand.
  func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> ServerNotice?

  /// The HTTP request that asks the token provider for a token.
  func tokenRequest(for user: UserID, life: TokenLife) -> HTTPRequest

  /// The token in the provider's answer; nil if it holds none.
  func token(in response: HTTPResponse) -> Credentials?
}

/// What a client of a fleet says.
package enum ClientMessage: Hashable, Sendable {
  case connect(Credentials)
  case refresh(Credentials)
  case ping
  /// Bytes that mean nothing in the dialect.
  case garbage
}

/// What a client of a fleet needs to understand.
package enum ServerNotice: Hashable, Sendable {
  case connected(ConnectionID?)
  case refreshRequired(timeout: Duration)
  case refreshed
  case error(number: Int, name: String)
  case closing(name: String)
}

/// How long a token that is asked of the provider shall live.
package enum TokenLife: Hashable, Sendable {
  case lasting(Duration)
  case until(WallTime)
}
