package import GatewayCore

extension StormResult {
  /// The work of the token endpoint, with logins and renewals separate, and the sources of the tokens' ends.
  package struct Tokens: Hashable, Sendable, Codable {
    package var login = TokenCalls()
    package var refresh = TokenCalls()
    /// The number of clients by the source of their latest token's end.
    package var ends: [EndSource: Int] = [:]
    /// Logins with a token of unknown end.
    package var endless = 0
    /// The longest and the shortest life of a token, in seconds.
    package var longestLife: Double?
    package var shortestLife: Double?
    /// The difference between the endpoint's clock and the storm's, in seconds, if it exceeds the rounding to whole
    /// seconds.
    package var clockOffset: Double?
    /// The time from accepted renewals to the ends of their tokens, and from these ends to late renewals, if the ends
    /// are known; nil for none.
    package var marginsLeft: LatencyHistogram?
    package var marginsOverdrawn: LatencyHistogram?
    /// Connections with a known token end that the gateway ended, and how many of them it ended more than a second before
    /// that end; nil for none.
    package var endsKnown: Int?
    package var endsEarly: Int?
    /// The `Retry-After` of busy answers; nil if none was busy.
    package var told: ToldWaits?
    /// Advice for each reason in the counts.
    package var sentences: [String: String] = [:]

    /// The maximum number of different sentences.
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

    /// Returns the margin that `percent` of renewals did not reach, or the minimum for 0; nil if there were none.
    package func margin(percent: Int) -> Duration? {
      let (over, left) = (marginsOverdrawn?.count ?? 0, marginsLeft?.count ?? 0)
      guard over + left > 0 else { return nil }
      if percent <= 0 { return marginsOverdrawn?.maximum.map { .zero - $0 } ?? marginsLeft?.minimum }
      let rank = max(1, UInt64((Double(over + left) * Double(min(percent, 100)) / 100).rounded(.up)))
      // The longest overdue renewal is the smallest margin.
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
      if let told = other.told { self.told = (self.told ?? ToldWaits()).merged(told) }
      for (reason, sentence) in other.sentences { note(sentence, on: reason) }
      if let offset = other.clockOffset, abs(offset) > abs(clockOffset ?? 0) { clockOffset = offset }
    }

    func since(_ earlier: Tokens) -> Tokens {
      var part = self
      part.login = login.since(earlier.login)
      part.refresh = refresh.since(earlier.refresh)
      part.ends = [:]
      part.told = nil
      part.endless = endless - earlier.endless
      part.marginsLeft = marginsLeft.map { $0.since(earlier.marginsLeft ?? LatencyHistogram()) }
      part.marginsOverdrawn = marginsOverdrawn.map { $0.since(earlier.marginsOverdrawn ?? LatencyHistogram()) }
      part.endsKnown = endsKnown.map { $0 - (earlier.endsKnown ?? 0) }
      part.endsEarly = endsEarly.map { $0 - (earlier.endsEarly ?? 0) }
      return part
    }
  }

  /// The outcomes of requests for one purpose.
  package struct TokenCalls: Hashable, Sendable, Codable {
    package var calls = 0
    package var granted = 0
    /// Answers that the endpoint is overloaded.
    package var busy = 0
    /// Answers that refuse the client a token, by status and the endpoint's reason.
    package var refused = Reasons()
    /// Requests without an answer, or with one that could not be read.
    package var failed = Reasons()
    /// Clients that gave up on the endpoint.
    package var givenUp = 0
    /// Answers that repeated the previous token.
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
