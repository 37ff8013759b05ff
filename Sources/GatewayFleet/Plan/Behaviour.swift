/// The behaviour of a client when the gateway asks for a new token.
package enum Behaviour: String, Hashable, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
  /// Fetches a new token and sends it at once.
  case wellBehaved = "well-behaved"
  /// Does the same after a delay.
  case slow
  /// Never answers.
  case forgetful
  /// Answers with its current token, which is about to expire.
  case stale
  /// Answers with meaningless bytes.
  case garbage
  /// Asks the provider, which refuses it.
  case refused
  /// Asks the provider again and again until a token is accepted, without a wait and for ever.
  case hammering

  /// Returns whether the client ends up with a new token, if the gateway and the provider do their part.
  ///
  /// - Parameters:
  ///   - slowDelay: How long a slow client waits before it asks the provider.
  ///   - timeout: How long the gateway waits for the token.
  package func isExpectedToStay(slowDelay: Duration, timeout: Duration) -> Bool {
    switch self {
    case .wellBehaved, .hammering: true
    case .slow: slowDelay < timeout
    case .forgetful, .stale, .garbage, .refused: false
    }
  }
}
