/// The gateway's requests for the keys that the storm serves, and its judgement of their tokens.
package struct KeyFigures: Hashable, Sendable, Codable {
  /// Requests for the discovery document and for the keys, whatever the answer.
  package var discoveries = 0
  package var requests = 0
  /// Questions about opaque tokens (RFC 7662).
  package var introspections = 0
  /// Requests for the keys that were answered with 429, and with 304.
  package var limited = 0
  package var unchanged = 0
  /// Requests for the keys after a token was shown whose key no answer had had.
  package var afterUnknownKid = 0
  /// How often the storm began to sign with another key.
  package var rotations = 0
  /// The most requests for the keys while the storm signed with one key.
  package var mostPerKey = 0
  /// Rotations whose new key signed a token that was shown, and rotations of which such a token was accepted.
  package var rotationsShown = 0
  package var rotationsAccepted = 0
  /// The longest time from a rotation to the first accepted token of the new key, in seconds; nil for none.
  package var longestToAccepted: Double?
  /// Good tokens that were shown, and what became of them. The rest was pending when the storm ended.
  package var valid = Tokens()
  /// The same for tokens whose key the gateway cannot know.
  package var forged = Tokens()

  /// The fates of tokens.
  package struct Tokens: Hashable, Sendable, Codable {
    package var shown = 0
    package var accepted = 0
    package var refused = 0
    /// Tokens that the gateway did not judge: it was away, busy, or answered that it cannot.
    package var unjudged = 0

    package init() {}
  }

  package init() {}
}
