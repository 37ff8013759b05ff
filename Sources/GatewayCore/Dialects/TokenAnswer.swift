/// The result of asking an endpoint for a token: `http_401` with the code `token_not_valid`, for instance.
package struct TokenAnswer: Hashable, Sendable {
  /// The outcome in one word: the endpoint is busy, with 503 and 5 s to stay away, for instance.
  package enum Outcome: Hashable, Sendable {
    case token(Credentials)
    /// It is overloaded, and said how long to stay away or did not.
    case busy(status: Int, retryAfter: Duration?)
    /// It gives this client no token.
    case refused(status: Int)
    /// There was no answer, or none that makes sense; another attempt may fare better.
    case failed
  }

  package var outcome: Outcome
  /// What the report calls it.
  package var label: String
  /// What leads to the mend; nil where the label says all.
  package var sentence: String?
  /// When the token ends; nil where nobody says.
  package var end: WallTime?
  package var endSource: EndSource = .unknown
  /// How long the token lives, as it says itself; else from now to its end.
  package var life: Duration?
  /// How far the endpoint's clock is ahead of ours; nil where it does not say, or within what its whole seconds hide.
  package var clockOffset: Duration?
  /// Whether the token is the one of before.
  package var isSameToken = false

  package init(_ outcome: Outcome, label: String, sentence: String? = nil) {
    self.outcome = outcome
    self.label = label
    self.sentence = sentence
  }
}

/// The authority on when a token ends: the `exp` of a JWT, or an `expires_in` of the endpoint's answer, for instance.
package enum EndSource: String, Hashable, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
  /// The gateway, when it accepted the token.
  case gateway
  /// The token itself, a JWT with `exp`.
  case jwt
  /// The endpoint's answer.
  case answer
  /// The description of the endpoint.
  case fixed
  /// The storm, which asked for that end.
  case asked
  /// Nobody.
  case unknown
}
