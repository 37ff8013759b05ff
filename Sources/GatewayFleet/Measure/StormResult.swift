/// The outcome of a storm, or of one loop's part of it: 14,990 of 15,000 clients were refreshed, for instance. Parts
/// merge exactly, whether they come from loops or processes.
package struct StormResult: Hashable, Sendable, Codable {
  package var connects = Connects()
  package var refreshes = Refreshes()
  package var returns = Returns()
  /// Ends of logged-in connections that the storm did not ask for, by close code and name.
  package var disconnects = Reasons()
  /// Errors of the gateway that answered neither a login nor a refresh.
  package var errors = Reasons()
  package var provider = Provider()
  /// The same in more detail, logins and renewals apart.
  package var tokens = Tokens()
  package var behaviours: [Behaviour: BehaviourTally] = [:]
  package var latencies = Latencies()
  package var series = StormSeries()
  /// The same in finer steps, for waves of less than a second.
  package var bins = StormBins()
  /// What the clients saw of the gateway's settings.
  package var seen = Seen()
  /// The time, in seconds, that the waves were given to pass in: see ``StormPlan/given(timeout:)``.
  package var given = 0.0
  /// What the metrics of the gateways said, all together, if they were asked.
  package var probes: [ProcessProbe.Moment: ProcessProbe.Sample] = [:]
  /// The same of the storm's own processes.
  package var generator: [ProcessProbe.Moment: ProcessProbe.Sample] = [:]
  /// Whether somebody ended the storm before its time.
  package var wasInterrupted = false
  /// Whether the storm's time was up before everybody was refreshed or cut off.
  package var ranOutOfTime = false
  /// Why it ended itself before its time, in a sentence; nil if it did not.
  package var stopped: String?
  /// How long it took, in seconds.
  package var seconds = 0.0
  /// The same for each phase of its scenario; nil if it had none.
  package var phases: [PhaseResult]?
  /// Which world it was: `machines` or `wire`; nil for a storm over real sockets.
  package var source: String?
  /// What the provider had to do, where the world knows it from inside.
  package var queue: QueueFigures?
  /// When what disturbed the fleet was over, in seconds from the start; nil for the first refresh request.
  package var triggerEnd: Double?
  /// When the first order of the scenario had the gateway ask for tokens, in seconds from the start; nil for never.
  package var askOrderedAt: Double?
  /// How late the storm's own loops were; nil where nobody looked, as in virtual time.
  package var lateness: Lateness?
  /// How many tokens of connected clients expire in each ten seconds from the end on, where the world knows them.
  package var horizon: [Int]?

  /// Nothing further ahead is looked at: a day, in steps of ten seconds.
  package static let horizonMax = 8_640

  package init() {}

  /// The connections of a storm: 15,000 attempted, 14,998 accepted, for instance.
  package struct Connects: Hashable, Sendable, Codable {
    package var attempted = 0
    package var accepted = 0
    /// Why the others were not, those given up among them.
    package var failed = Reasons()
    /// Connections of clients that had been connected before.
    package var again = 0
    /// Of a phase: the clients that were connected when it began. Nil for a whole storm.
    package var before: Int?
  }

  /// The refreshes of a storm: 15,000 asked, 14,990 accepted, for instance.
  package struct Refreshes: Hashable, Sendable, Codable {
    package var asked = 0
    /// Requests to a client that was still busy with an earlier one.
    package var askedAgain = 0
    /// Tokens and garbage that clients sent in answer.
    package var answered = 0
    package var accepted = 0
    /// Answers the gateway refused, by its error's name.
    package var refused = Reasons()
    /// Requests that ended with the connection.
    package var timedOut = 0
    /// Requests a client gave up on, by reason.
    package var givenUp = Reasons()
  }

  /// The ways back of clients that return by themselves: 40 interrupted, 38 back, for instance, in 55 attempts.
  package struct Returns: Hashable, Sendable, Codable {
    /// Connections that ended while their client meant to stay.
    package var interrupted = 0
    /// Attempts to connect again.
    package var attempts = 0
    /// Attempts, and wishes for a session key, that the gateway refused, by its error's name.
    package var refused = Reasons()
    /// Those of them with the token that the client had before.
    package var refusedWithOldToken = 0
    /// Attempts that came to nothing without an error of the gateway.
    package var failed = Reasons()
    package var returned = 0
    /// The most attempts that one client needed to come back.
    package var attemptsMax = 0
    /// Wishes for a session key over HTTP.
    package var keyCalls = 0

    mutating func merge(_ other: Returns) {
      interrupted += other.interrupted
      attempts += other.attempts
      refused.merge(other.refused)
      refusedWithOldToken += other.refusedWithOldToken
      failed.merge(other.failed)
      returned += other.returned
      attemptsMax = max(attemptsMax, other.attemptsMax)
      keyCalls += other.keyCalls
    }
  }

  /// The work of the token provider in a storm: 30,000 calls, of which 40 were refused, for instance.
  package struct Provider: Hashable, Sendable, Codable {
    package var calls = 0
    /// Calls to answer a refresh request.
    package var refreshCalls = 0
    /// Refresh requests on whose account the provider was called at all.
    package var refreshRounds = 0
    /// The most calls that one client made to answer one request.
    package var longestRound = 0
    package var granted = 0
    package var refused = Reasons()
    /// The sum over loops of the most that each had under way at once.
    package var inFlightPeak = 0
    /// Tokens for which nobody waited any more when they came.
    package var wasted = 0
    /// Tokens that were minted by the clients themselves, without a provider.
    package var mintedLocally = 0
  }

  /// The gateway's settings as clients saw them, to hold against what the storm was told: the longest time-out that a
  /// refresh request announced, for instance.
  package struct Seen: Hashable, Sendable, Codable {
    /// When the first refresh request came, in seconds from the start.
    package var firstAsked: Double?
    /// The longest time-out that a refresh request announced, in seconds.
    package var longestTimeout: Double?

    mutating func merge(_ other: Seen) {
      firstAsked = [firstAsked, other.firstAsked].compactMap { $0 }.min()
      longestTimeout = [longestTimeout, other.longestTimeout].compactMap { $0 }.max()
    }
  }

  /// The fates of the clients of one behaviour, of the slow ones for instance. Each that was ever connected is, at the
  /// end, one of: kept, lost expectedly, lost unexpectedly, overstayed, unrefreshed, late, returned.
  package struct BehaviourTally: Hashable, Sendable, Codable {
    package var clients = 0
    package var connected = 0
    /// Clients that were refreshed at least once, whatever became of them later.
    package var refreshed = 0
    /// Clients that were refreshed in every wave and are connected, or were when the storm ended.
    package var kept = 0
    package var lostExpectedly = 0
    package var lostUnexpectedly = 0
    /// Clients that were to be cut off and were not.
    package var overstayed = 0
    /// Clients that were to be refreshed and are still connected, but were not refreshed in every wave.
    package var unrefreshed = 0
    /// Clients that were connected only after the common expiry, with tokens that outlive the storm.
    package var late = 0
    /// Clients whose connection was interrupted and that are back, with tokens that outlive the storm.
    package var returned = 0
    /// From refresh asked to refreshed.
    package var refreshLatency = LatencyHistogram()

    package init() {}

    fileprivate var isPossible: Bool {
      [connected, refreshed, kept, lostExpectedly, lostUnexpectedly, overstayed, unrefreshed, late, returned]
        .allSatisfy { $0 <= clients }
    }

    mutating func merge(_ other: BehaviourTally) {
      clients += other.clients
      connected += other.connected
      refreshed += other.refreshed
      kept += other.kept
      lostExpectedly += other.lostExpectedly
      lostUnexpectedly += other.lostUnexpectedly
      overstayed += other.overstayed
      unrefreshed += other.unrefreshed
      late += other.late
      returned += other.returned
      refreshLatency.merge(other.refreshLatency)
    }
  }

  /// The latencies of a storm, from a wish to its fulfilment: a token's, with the wait for a free place, for instance.
  package struct Latencies: Hashable, Sendable, Codable {
    /// From the start of a connection to the accepted login.
    package var connect = LatencyHistogram()
    /// From the wish for a token to its arrival, the wait for a free place included.
    package var provider = LatencyHistogram()
    /// From the first refresh request that was to be expected to a client's first refresh.
    package var sinceOnset = LatencyHistogram()
    /// From the end of a connection to the next login, of clients that came back by themselves.
    package var outage = LatencyHistogram()
    /// From the latest moment at which the gateway was to ask, by the token's end and its lead, to the accepted refresh; nil
    /// where nobody knows the ends.
    package var overdue: LatencyHistogram?
  }

  /// Whether a fleet of so many clients can have come to that, or a part of it: none of them became two things.
  package func isPossible(of clients: Int) -> Bool {
    behaviours.values.allSatisfy(\.isPossible) && behaviours.values.reduce(0) { $0 + $1.clients } <= clients
  }

  package mutating func merge(_ other: StormResult) {
    merge(latenessOf: other)
    connects.attempted += other.connects.attempted
    connects.accepted += other.connects.accepted
    connects.failed.merge(other.connects.failed)
    connects.again += other.connects.again
    if let before = other.connects.before { connects.before = (connects.before ?? 0) + before }
    refreshes.asked += other.refreshes.asked
    refreshes.askedAgain += other.refreshes.askedAgain
    refreshes.answered += other.refreshes.answered
    refreshes.accepted += other.refreshes.accepted
    refreshes.refused.merge(other.refreshes.refused)
    refreshes.timedOut += other.refreshes.timedOut
    refreshes.givenUp.merge(other.refreshes.givenUp)
    returns.merge(other.returns)
    disconnects.merge(other.disconnects)
    errors.merge(other.errors)
    provider.merge(other.provider)
    tokens.merge(other.tokens)
    stopped = stopped ?? other.stopped
    for (behaviour, tally) in other.behaviours { behaviours[behaviour, default: .init()].merge(tally) }
    latencies.connect.merge(other.latencies.connect)
    latencies.provider.merge(other.latencies.provider)
    latencies.sinceOnset.merge(other.latencies.sinceOnset)
    latencies.outage.merge(other.latencies.outage)
    if let overdue = other.latencies.overdue { latencies.overdue = (latencies.overdue ?? .init()).merged(overdue) }
    series.merge(other.series)
    bins.merge(other.bins)
    seen.merge(other.seen)
    given = max(given, other.given)
    probes.merge(other.probes) { first, _ in first }
    generator.merge(other.generator, uniquingKeysWith: +)
    wasInterrupted = wasInterrupted || other.wasInterrupted
    ranOutOfTime = ranOutOfTime || other.ranOutOfTime
    seconds = max(seconds, other.seconds)
    triggerEnd = [triggerEnd, other.triggerEnd].compactMap { $0 }.max()
    askOrderedAt = [askOrderedAt, other.askOrderedAt].compactMap { $0 }.min()
    merge(phases: other.phases)
  }

  /// Each with the one of that name; all processes have the same.
  private mutating func merge(phases others: [PhaseResult]?) {
    guard let others else { return }
    guard var own = phases else {
      phases = others
      return
    }
    for other in others {
      if let index = own.firstIndex(where: { $0.name == other.name }) {
        own[index].merge(other)
      } else {
        own.append(other)
      }
    }
    phases = own
  }
}

extension StormResult.Provider {
  mutating func merge(_ other: StormResult.Provider) {
    calls += other.calls
    refreshCalls += other.refreshCalls
    refreshRounds += other.refreshRounds
    longestRound = max(longestRound, other.longestRound)
    granted += other.granted
    refused.merge(other.refused)
    inFlightPeak += other.inFlightPeak
    wasted += other.wasted
    mintedLocally += other.mintedLocally
  }
}
