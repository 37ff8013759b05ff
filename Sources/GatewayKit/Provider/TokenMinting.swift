package import GatewayCore
internal import GatewayJSON

/// A layer between the token provider and the issuer that may change, delay or refuse a token, e.g. for faults.
package protocol TokenMinting: Sendable {
  /// Returns the token that `issuer` makes for the order, or another one, perhaps later. Throws the answer if there is
  /// no token. Only on the provider's executor.
  nonisolated(nonsending) func mint(
    _ order: TokenOrder, with issuer: any TokenIssuer, at now: WallTime, defaultLife: Duration?
  ) async throws(TokenRefusal) -> MintedToken
}

/// The token provider's answer if it gives no token, e.g. 429 with the time of the next try.
package struct TokenRefusal: Error, Hashable, Sendable {
  package var error: GatewayError
  /// The status over HTTP; nil for the error's own.
  package var status: Int?
  /// The advice when to ask again.
  package var retryAfter: RetryAdvice
  /// The provider's time of day, if it differs from the gateway's.
  package var providerTime: WallTime?
  /// Whether a refresh token is refused, for which there is a standard answer (RFC 6749 section 5.2).
  package var isInvalidGrant = false

  package init(_ error: GatewayError, status: Int? = nil, retryAfter: RetryAdvice = .usual) {
    self.error = error
    self.status = status
    self.retryAfter = retryAfter
  }

  /// The refusal of a refresh token. It does not say why.
  package static var invalidGrant: TokenRefusal {
    var refusal = TokenRefusal(.tokenRevoked.detailed("the refresh token is unknown, was used before, or has ended"))
    refusal.isInvalidGrant = true
    return refusal
  }

  /// Returns the HTTP response: the error in the vendor's format, with this status and this wait.
  package func response(_ words: (GatewayError) -> HTTPResponse) -> HTTPResponse {
    guard !isInvalidGrant else {
      let answer = JSONWriter.object(capacity: 32) { $0.member("error", "invalid_grant") }
      return HTTPResponse(status: 400, json: answer)
    }
    var response = words(error)
    if let status { response.status = status }
    if retryAfter != .usual { response.headers.removeAll { $0.name == "retry-after" } }
    switch retryAfter {
    case .after(let wait):
      response.headers.append(wait == .zero ? HTTPField("retry-after", "0") : .retryAfter(wait))
    // A date is in whole seconds, and no earlier than the time it means.
    case .at(let time): response.headers.append(HTTPField("retry-after", (time + .nanoseconds(999_999_999)).httpDate))
    case .usual, .none: break
    }
    if let providerTime { response.headers.append(.date(providerTime)) }
    return response
  }
}

/// The advice of a refusal when to ask again, sent as `Retry-After`.
package enum RetryAdvice: Hashable, Sendable {
  /// The provider's usual advice.
  case usual
  case after(Duration)
  /// A time of day.
  case at(WallTime)
  /// No field at all.
  case none
}
