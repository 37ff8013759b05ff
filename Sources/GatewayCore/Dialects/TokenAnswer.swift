/// The result of a token request to an endpoint.
package struct TokenAnswer: Hashable, Sendable {
  /// The outcome of a token request.
  package enum Outcome: Hashable, Sendable {
    case token(Credentials)
    /// The endpoint is overloaded, with or without a time to wait.
    case busy(status: Int, retryAfter: Duration?)
    /// The endpoint refuses this client a token.
    case refused(status: Int)
    /// There was no valid answer; another attempt may succeed.
    case failed
  }

  package var outcome: Outcome
  /// The report's label for the result.
  package var label: String
  /// A sentence that says how to fix the fault; nil if the label is enough.
  package var sentence: String?
  /// The token's end; nil if it is unknown.
  package var end: WallTime?
  package var endSource: EndSource = .unknown
  /// The token's life by its own statement; otherwise from now to its end.
  package var life: Duration?
  /// The time by which the endpoint's clock is ahead of ours. Nil if it is unknown, or smaller than its whole seconds
  /// can show.
  package var clockOffset: Duration?
  /// Whether the token is the same as the one before.
  package var isSameToken = false

  package init(_ outcome: Outcome, label: String, sentence: String? = nil) {
    self.outcome = outcome
    self.label = label
    self.sentence = sentence
  }
}

/// The source of a token's end.
package enum EndSource: String, Hashable, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
  /// The gateway stated it when it accepted the token.
  case gateway
  /// The token itself states it: a JWT with `exp`.
  case jwt
  /// The endpoint's answer states it.
  case answer
  /// The description of the endpoint states it.
  case fixed
  /// The storm requested it.
  case asked
  /// No source states it.
  case unknown
}
