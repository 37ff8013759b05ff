package import GatewayCore

/// The record of all events of one loop's clients.
package struct Ledger {
  package var result = StormResult()
  /// The number of clients that are logged in.
  package internal(set) var connected = 0
  /// The number of pending requests to the provider.
  package private(set) var inFlight = 0
  /// The number of clients for which the storm need not wait.
  package var settled = 0
  /// The number of clients for which the storm waits only if they were in trouble when all others were done; see
  /// ``Stragglers``.
  package var refreshingAgain = 0
  /// Completed requests to the provider, and how many brought no token, except requests that were meant to fail.
  package private(set) var calls = 0
  package private(set) var refusals = 0
  /// Why the first of those failed, in a sentence.
  package private(set) var trouble: String?
  private var inFlightPeak = 0
  let start: Instant
  /// The expected time of the first refresh request; nil if it differs from client to client.
  private var onset: Instant?
  /// How long before the end of a token the gateway should ask.
  private let lead: Duration
  /// The beginning of each phase of the scenario, and the counts at the beginning of each phase that has begun.
  let boundaries: [Instant]
  var marks: [StormResult] = []
  /// The loop's own lateness; nil if it is not watched.
  var watch: Watch?

  /// Creates a ledger.
  ///
  /// - Parameters:
  ///   - start: The start of the storm.
  ///   - onset: The expected time of the first refresh request; nil if it differs from client to client.
  ///   - lead: How long before the end of a token the gateway should ask.
  ///   - boundaries: The beginning of each phase of the scenario, in order.
  ///   - length: The maximum duration of the storm.
  package init(
    start: Instant, onset: Instant?, lead: Duration = .zero, boundaries: [Instant] = [], length: Duration = .zero
  ) {
    self.start = start
    self.onset = onset
    self.lead = lead
    self.boundaries = boundaries
    result.bins = StormBins(length: length)
  }

  mutating func count(_ kind: WritableKeyPath<StormBins, StormBins.Counts>, at now: Instant) {
    let bin = result.bins.bin(at: now - start)
    result.bins[keyPath: kind].count(inBin: bin)
  }

  /// Notes the timeout that a refresh request announced.
  package mutating func announced(_ timeout: Duration) {
    let timeout = min(timeout, Self.timeoutMax)
    result.seen.longestTimeout = max(result.seen.longestTimeout ?? 0, timeout.inSeconds)
  }

  /// The maximum timeout that a storm waits for, whatever a gateway announces.
  private static let timeoutMax = Duration.seconds(86_400)

  func second(_ now: Instant) -> Int {
    Int((now - start).nanoseconds / 1_000_000_000)
  }

  package mutating func began(_ behaviour: Behaviour) {
    result.behaviours[behaviour, default: .init()].clients += 1
  }

  package mutating func record(_ record: ClientRecord, _ behaviour: Behaviour, at now: Instant) {
    reach(now)
    let second = second(now)
    switch record {
    case .connecting:
      result.connects.attempted += 1
    case .connected(let duration, let again):
      connected += 1
      result.connects.accepted += 1
      if again { result.connects.again += 1 } else { result.behaviours[behaviour, default: .init()].connected += 1 }
      let byPlan = !again && watch?.startsByPlan == true
      result.latencies.connect.record(timed(.connect, duration, at: now, startsByPlan: byPlan))
      result.series.connects.count(atSecond: second)
      count(\.logins, at: now)
    case .connectFailed(let reason):
      blameItself([\.failedLogins], at: now)
      result.connects.failed.count(reason)
      gaveUp(reason, isRenewal: false)
    case .unfinished:
      unfinished(at: now)
    case .asked:
      result.refreshes.asked += 1
      // A gateway may ask earlier than expected, e.g. if its lead time is a share of the session's life.
      onset = onset.map { min($0, now) }
      result.series.asked.count(atSecond: second)
      count(\.asked, at: now)
      result.seen.firstAsked = min(result.seen.firstAsked ?? .infinity, (now - start).inSeconds)
    case .askedAgain:
      result.refreshes.askedAgain += 1
    case .answered:
      result.refreshes.answered += 1
    case .refreshed(let duration, let number):
      result.refreshes.accepted += 1
      result.series.accepted.count(atSecond: second)
      count(\.accepted, at: now)
      let latency = timed(behaviour == .wellBehaved ? .refresh : nil, duration, at: now)
      result.behaviours[behaviour, default: .init()].refreshLatency.record(latency)
      guard number == 1 else { return }
      result.behaviours[behaviour, default: .init()].refreshed += 1
      if let onset {
        result.latencies.sinceOnset.record(timed(.sinceOnset, now - onset, at: now, startsByPlan: true))
      }
    case .refreshRefused(let name):
      result.refreshes.refused.count(name)
    case .margin(let margin):
      result.tokens.note(margin: margin)
      let overdue = timed(.overdue, max(.zero, lead - margin), at: now, startsByPlan: true)
      if result.latencies.overdue == nil { result.latencies.overdue = LatencyHistogram() }
      result.latencies.overdue?.record(overdue)
    case .endedKnowing(let isEarly):
      result.tokens.endsKnown = (result.tokens.endsKnown ?? 0) + 1
      result.tokens.endsEarly = (result.tokens.endsEarly ?? 0) + (isEarly ? 1 : 0)
    case .gaveUp(let reason):
      result.refreshes.givenUp.count(reason)
      gaveUp(reason, isRenewal: true)
    case .lost(let reason, let isExpected, let timedOut):
      connected -= 1
      if !isExpected { blameItself([\.cutOff, \.lost], at: now) }
      result.disconnects.count(reason)
      if timedOut { result.refreshes.timedOut += 1 }
      ended(at: now)
    case .interrupted, .reconnecting, .returnRefused, .returnFailed, .returned:
      recordReturn(record, at: now)
    case .left:
      connected -= 1
    case .error(let name):
      result.errors.count(name)
    }
  }

  /// Records events of clients that come back by themselves.
  private mutating func recordReturn(_ record: ClientRecord, at now: Instant) {
    switch record {
    case .interrupted(let reason):
      connected -= 1
      blameItself([\.cutOff], at: now)
      result.returns.interrupted += 1
      result.disconnects.count(reason)
      ended(at: now)
    case .reconnecting:
      result.connects.attempted += 1
      result.returns.attempts += 1
    case .returnRefused(let name, let isOldToken):
      result.returns.refused.count(name)
      if isOldToken { result.returns.refusedWithOldToken += 1 }
    case .returnFailed(let reason):
      result.returns.failed.count(reason)
    case .returned(let duration, let attempts):
      result.returns.returned += 1
      result.returns.attemptsMax = max(result.returns.attemptsMax, attempts)
      result.latencies.outage.record(timed(.outage, duration, at: now))
      count(\.returned, at: now)
    default: return
    }
  }

  /// Counts a connection that ended before the storm ended it.
  private mutating func ended(at now: Instant) {
    result.series.losses.count(atSecond: second(now))
    result.series.ends.count(atSecond: second(now))
    count(\.losses, at: now)
  }

  /// Counts a client's request for a session key over HTTP.
  package mutating func keyWanted() {
    result.returns.keyCalls += 1
  }

  /// Counts a request to the provider at its start.
  mutating func began(at now: Instant) {
    reach(now)
    inFlight += 1
    inFlightPeak = max(inFlightPeak, inFlight)
    result.provider.inFlightPeak = inFlightPeak
    result.provider.calls += 1
    result.series.providerCalls.count(atSecond: second(now))
    result.series.providerPeaks.raise(to: inFlight, atSecond: second(now))
  }

  /// Counts a completed request to the provider that was meant to bring a token; `refusal` is the reason if it brought
  /// none.
  mutating func concluded(refusal: String?) {
    calls += 1
    guard let refusal else { return }
    refusals += 1
    trouble = trouble ?? refusal
  }

  /// Counts the end of a request to the provider.
  mutating func ended(fetchAt now: Instant) {
    reach(now)
    inFlight -= 1
    result.series.providerReturns.count(atSecond: second(now))
  }

  /// Notes the outcome of a client, once, at the end.
  ///
  /// - Parameters:
  ///   - behaviour: The behaviour of the client.
  ///   - outcome: The outcome.
  ///   - isSignedOut: Whether its device is signed out for good.
  package mutating func close(
    _ behaviour: Behaviour, _ outcome: ClientSession.Outcome, isSignedOut: Bool = false
  ) {
    switch outcome {
    case .neverConnected: return
    case .lostUnexpectedly where isSignedOut, .unrefreshed where isSignedOut:
      result.behaviours[behaviour, default: .init()].signedOut =
        (result.behaviours[behaviour]?.signedOut ?? 0) + 1
    case .kept: result.behaviours[behaviour, default: .init()].kept += 1
    case .lostExpectedly: result.behaviours[behaviour, default: .init()].lostExpectedly += 1
    case .lostUnexpectedly: result.behaviours[behaviour, default: .init()].lostUnexpectedly += 1
    case .overstayed: result.behaviours[behaviour, default: .init()].overstayed += 1
    case .late: result.behaviours[behaviour, default: .init()].late += 1
    case .returned: result.behaviours[behaviour, default: .init()].returned += 1
    case .unrefreshed: result.behaviours[behaviour, default: .init()].unrefreshed += 1
    }
  }
}
