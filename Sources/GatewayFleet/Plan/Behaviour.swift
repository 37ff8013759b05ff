/// The answer of a fleet's client to a gateway that asks for a new token: none at all from a forgetful one, for
/// instance.
package enum Behaviour: String, Hashable, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
  /// Fetches a new token and sends it at once.
  case wellBehaved = "well-behaved"
  /// Does the same after a delay.
  case slow
  /// Never answers.
  case forgetful
  /// Answers with the token it has, which is expiring.
  case stale
  /// Answers with bytes that mean nothing.
  case garbage
  /// Asks the provider, which refuses it.
  case refused

  /// Whether the client ends up with a new token, if the gateway and the provider do their part.
  ///
  /// - Parameters:
  ///   - slowDelay: How long a slow client waits before it asks the provider.
  ///   - timeout: How long the gateway gives it.
  package func isExpectedToStay(slowDelay: Duration, timeout: Duration) -> Bool {
    switch self {
    case .wellBehaved: true
    case .slow: slowDelay < timeout
    case .forgetful, .stale, .garbage, .refused: false
    }
  }
}
