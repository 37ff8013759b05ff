/// The counts of a provider of rotating refresh tokens.
package struct RotationFigures: Hashable, Sendable, Codable {
  /// Refresh tokens that were shown again, and how many of them got a token.
  package var replays = 0
  package var forgiven = 0
  /// Families that ended because one of their tokens, or of their user's, was taken for stolen.
  package var familiesRevoked = 0
  /// Tokens whose answers were lost on purpose.
  package var repliesLost = 0

  package init() {}

  /// Counts the answer to one refresh token, without the families that it ended.
  package mutating func count(_ verdict: TokenFamily.Verdict) {
    switch verdict {
    case .rotated, .refused(.unknown), .refused(.idle), .refused(.ended): return
    case .replayed:
      replays += 1
      forgiven += 1
    case .refused(.replay), .refused(.reuse), .revoked: replays += 1
    }
  }

  package mutating func merge(_ other: RotationFigures) {
    replays += other.replays
    forgiven += other.forgiven
    familiesRevoked += other.familiesRevoked
    repliesLost += other.repliesLost
  }
}
