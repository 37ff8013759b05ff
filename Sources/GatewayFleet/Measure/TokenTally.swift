package import GatewayCore

extension StormResult {
  /// The work of the token endpoint, logins and renewals apart, and who told when tokens end: for 900 clients the `exp`
  /// of a JWT, for instance.
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
    /// How long before the ends of their tokens renewals were accepted, and how long after, where the ends are known; nil for
    /// none.
    package var marginsLeft: LatencyHistogram?
    package var marginsOverdrawn: LatencyHistogram?
    /// Connections that the gateway ended and whose token's end was known, and those of them that it ended more than a second
    /// before that; nil for none.
    package var endsKnown: Int?
    package var endsEarly: Int?
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

    mutating func note(margin: Duration) {
      let histogram = margin < .zero ? \Self.marginsOverdrawn : \Self.marginsLeft
      var margins = self[keyPath: histogram] ?? LatencyHistogram()
      margins.record(margin < .zero ? .zero - margin : margin)
      self[keyPath: histogram] = margins
    }

    /// The margin that so many renewals in a hundred did not reach, 0 for the least of all; nil if there were none.
    package func margin(percent: Int) -> Duration? {
      let (over, left) = (marginsOverdrawn?.count ?? 0, marginsLeft?.count ?? 0)
      guard over + left > 0 else { return nil }
      if percent <= 0 { return marginsOverdrawn?.maximum.map { .zero - $0 } ?? marginsLeft?.minimum }
      let rank = max(1, UInt64((Double(over + left) * Double(min(percent, 100)) / 100).rounded(.up)))
      // The longest overdrawn is the least margin.
      if rank <= over { return marginsOverdrawn?.duration(ofRank: over - rank + 1).map { .zero - $0 } }
      return marginsLeft?.duration(ofRank: rank - over)
    }

    private static func sum(_ one: LatencyHistogram?, _ other: LatencyHistogram?) -> LatencyHistogram? {
      guard var sum = one, let other else { return one ?? other }
      sum.merge(other)
      return sum
    }

    private static func sum(_ one: Int?, _ other: Int?) -> Int? {
      one == nil && other == nil ? nil : (one ?? 0) + (other ?? 0)
    }

    mutating func merge(_ other: Tokens) {
      marginsLeft = Self.sum(marginsLeft, other.marginsLeft)
      marginsOverdrawn = Self.sum(marginsOverdrawn, other.marginsOverdrawn)
      endsKnown = Self.sum(endsKnown, other.endsKnown)
      endsEarly = Self.sum(endsEarly, other.endsEarly)
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
      part.marginsLeft = marginsLeft.map { $0.since(earlier.marginsLeft ?? LatencyHistogram()) }
      part.marginsOverdrawn = marginsOverdrawn.map { $0.since(earlier.marginsOverdrawn ?? LatencyHistogram()) }
      part.endsKnown = endsKnown.map { $0 - (earlier.endsKnown ?? 0) }
      part.endsEarly = endsEarly.map { $0 - (earlier.endsEarly ?? 0) }
      return part
    }
  }

  /// The outcomes of calls for one purpose: 1,000 renewals, of which 20 were told that the endpoint is busy, for
  /// instance.
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
