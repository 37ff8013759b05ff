package import GatewayCore

/// The maker of the tokens that the built-in provider gives, where that is not simply their issuer: a gateway that is
/// to fail, for instance, makes ann one that has expired.
package protocol TokenMinting: Sendable {
  /// The token of an order as `issuer` makes it, or another, and perhaps later. Throws what is said in place of one. Only
  /// on the provider's executor.
  nonisolated(nonsending) func mint(
    _ order: TokenOrder, with issuer: any TokenIssuer, at now: WallTime, defaultLife: Duration?
  ) async throws(TokenRefusal) -> MintedToken
}

/// The token provider's answer in place of a token: 429, for instance, and when to ask again.
package struct TokenRefusal: Error, Hashable, Sendable {
  package var error: GatewayError
  /// The status over HTTP; nil for the error's own.
  package var status: Int?
  /// When to ask again.
  package var retryAfter: RetryAdvice
  /// The provider's time of day, where that is not the gateway's.
  package var providerTime: WallTime?

  package init(_ error: GatewayError, status: Int? = nil, retryAfter: RetryAdvice = .usual) {
    self.error = error
    self.status = status
    self.retryAfter = retryAfter
  }

  /// What is said in place of a token over HTTP: the error in the vendor's words, with the status and the wait that are meant.
  package func response(_ words: (GatewayError) -> HTTPResponse) -> HTTPResponse {
    var response = words(error)
    if let status { response.status = status }
    if retryAfter != .usual { response.headers.removeAll { $0.name == "retry-after" } }
    if case .after(let wait) = retryAfter {
      response.headers.append(wait == .zero ? HTTPField("retry-after", "0") : .retryAfter(wait))
    }
    if let providerTime { response.headers.append(.date(providerTime)) }
    return response
  }
}

/// The advice of a refusal when to ask again: its `Retry-After`.
package enum RetryAdvice: Hashable, Sendable {
  /// What the provider says of itself.
  case usual
  case after(Duration)
  /// No field at all.
  case none
}
