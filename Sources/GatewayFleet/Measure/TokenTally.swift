package import GatewayCore

extension StormResult {
  /// What the token endpoint did, logins and renewals apart, and who told when tokens end.
  package struct Tokens: Hashable, Sendable, Codable {
    package var login = TokenCalls()
    package var refresh = TokenCalls()
    /// For how many clients who said when their latest token ends.
    package var ends: [EndSource: Int] = [:]
    /// Logins with a token of which nobody says when it ends.
    package var endless = 0
    /// The longest and the shortest life of a token, in seconds.
    package var longestLife: Double?
    package var shortestLife: Double?
    /// By how much the endpoint's clock differs from ours, in seconds, where that is more than its whole seconds hide.
    package var clockOffset: Double?
    /// What leads to the mend, by the reasons in the counts.
    package var sentences: [String: String] = [:]

    /// At most this many different sentences are kept.
    private static let sentencesMax = 16

    package init() {}

    mutating func note(_ sentence: String, on reason: String) {
      guard sentences[reason] != nil || sentences.count < Self.sentencesMax else { return }
      sentences[reason] = sentences[reason] ?? String(sentence.prefix(500))
    }

    mutating func note(life: Duration) {
      longestLife = max(longestLife ?? 0, life.inSeconds)
      shortestLife = min(shortestLife ?? .infinity, life.inSeconds)
    }

    mutating func note(clockOffset offset: Duration) {
      let seconds = offset.inSeconds
      if abs(seconds) > abs(clockOffset ?? 0) { clockOffset = seconds }
    }

    mutating func merge(_ other: Tokens) {
      login.merge(other.login)
      refresh.merge(other.refresh)
      ends.merge(other.ends, uniquingKeysWith: +)
      endless += other.endless
      longestLife = [longestLife, other.longestLife].compactMap { $0 }.max()
      shortestLife = [shortestLife, other.shortestLife].compactMap { $0 }.min()
      for (reason, sentence) in other.sentences { note(sentence, on: reason) }
      if let offset = other.clockOffset, abs(offset) > abs(clockOffset ?? 0) { clockOffset = offset }
    }

    func since(_ earlier: Tokens) -> Tokens {
      var part = self
      part.login = login.since(earlier.login)
      part.refresh = refresh.since(earlier.refresh)
      part.ends = [:]
      part.endless = endless - earlier.endless
      return part
    }
  }

  /// What calls for one purpose came to.
  package struct TokenCalls: Hashable, Sendable, Codable {
    package var calls = 0
    package var granted = 0
    /// Answers that the endpoint is overloaded.
    package var busy = 0
    /// Answers that this client gets none, by status and the endpoint's own word.
    package var refused = Reasons()
    /// No answer, or none that makes sense.
    package var failed = Reasons()
    /// Clients that gave up on the endpoint.
    package var givenUp = 0
    /// Answers that gave the token of before once more.
    package var sameToken = 0

    mutating func merge(_ other: TokenCalls) {
      calls += other.calls
      granted += other.granted
      busy += other.busy
      refused.merge(other.refused)
      failed.merge(other.failed)
      givenUp += other.givenUp
      sameToken += other.sameToken
    }

    func since(_ earlier: TokenCalls) -> TokenCalls {
      var part = TokenCalls()
      part.calls = calls - earlier.calls
      part.granted = granted - earlier.granted
      part.busy = busy - earlier.busy
      part.refused = refused.since(earlier.refused)
      part.failed = failed.since(earlier.failed)
      part.givenUp = givenUp - earlier.givenUp
      part.sameToken = sameToken - earlier.sameToken
      return part
    }
  }
}
