package import GatewayCore

/// The outcome of a storm, or of one loop's part of it. Parts from loops or processes merge exactly.
package struct StormResult: Hashable, Sendable, Codable {
  package var connects = Connects()
  package var refreshes = Refreshes()
  package var returns = Returns()
  /// Ends of logged-in connections that the storm did not request, by close code and name.
  package var disconnects = Reasons()
  /// Errors of the gateway that answered neither a login nor a refresh.
  package var errors = Reasons()
  package var provider = Provider()
  /// The provider's work in more detail, with logins and renewals separate.
  package var tokens = Tokens()
  package var behaviours: [Behaviour: BehaviourTally] = [:]
  package var latencies = Latencies()
  package var series = StormSeries()
  /// The events in finer steps, for waves of less than a second.
  package var bins = StormBins()
  /// The gateway's settings, as the clients saw them.
  package var seen = Seen()
  /// The time, in seconds, that all waves together may take: see ``StormPlan/given(timeout:)``.
  package var given = 0.0
  /// The sum of the gateways' metrics, if they were read.
  package var probes: [ProcessProbe.Moment: ProcessProbe.Sample] = [:]
  /// The same for the storm's own processes.
  package var generator: [ProcessProbe.Moment: ProcessProbe.Sample] = [:]
  /// Whether a user ended the storm early.
  package var wasInterrupted = false
  /// Whether the storm's time was up before all clients were refreshed or closed.
  package var ranOutOfTime = false
  /// Why the storm ended itself early, in a sentence; nil if it did not.
  package var stopped: String?
  /// The duration in seconds.
  package var seconds = 0.0
  /// The outcome of each phase of the scenario; nil if it had none.
  package var phases: [PhaseResult]?
  /// The outcome of each fleet of a storm that has several; nil for one.
  package var fleets: [FleetResult]?
  /// The kind of world: `machines` or `wire`; nil for a storm over real sockets.
  package var source: String?
  /// The arrivals of clients that come and go; nil for a fleet that comes once.
  package var arrivals: ArrivalTally?
  /// The provider's work in detail, if the world simulates it.
  package var queue: QueueFigures?
  /// The provider's refresh tokens, if the world simulates it and they rotate.
  package var rotation: RotationFigures?
  /// The devices whose refresh tokens rotate; nil if there are none.
  package var signOuts: SignOutTally?
  /// The work of the keys that the storm served to the gateway; nil if it served none.
  package var keys: KeyFigures?
  /// The end of the fleet's disturbance, in seconds from the start; nil for the first refresh request.
  package var triggerEnd: Double?
  /// The time at which the scenario first ordered the gateway to ask for tokens, in seconds from the start; nil for
  /// never.
  package var askOrderedAt: Double?
  /// The lateness of the storm's own loops; nil if it was not measured, as in virtual time.
  package var lateness: Lateness?
  /// The number of connected clients' tokens that expire in each ten seconds after the end, if the world knows it.
  package var horizon: [Int]?

  /// The length of the horizon: a day, in steps of ten seconds.
  package static let horizonMax = 8_640

  package init() {}

  /// The connections of a storm.
  package struct Connects: Hashable, Sendable, Codable {
    package var attempted = 0
    package var accepted = 0
    /// The reasons of failed attempts, including abandoned ones.
    package var failed = Reasons()
    /// Connections of clients that had been connected before.
    package var again = 0
    /// In a phase: the clients that were connected at its beginning. Nil for a whole storm.
    package var before: Int?
  }

  /// The refreshes of a storm.
  package struct Refreshes: Hashable, Sendable, Codable {
    package var asked = 0
    /// Requests to a client that was still busy with an earlier one.
    package var askedAgain = 0
    /// Tokens and garbage that clients sent in answer.
    package var answered = 0
    package var accepted = 0
    /// Answers that the gateway refused, by the error's name.
    package var refused = Reasons()
    /// Requests that ended with the connection.
    package var timedOut = 0
    /// Requests that a client gave up, by reason.
    package var givenUp = Reasons()
  }

  /// The returns of clients that come back by themselves.
  package struct Returns: Hashable, Sendable, Codable {
    /// Connections that ended while the client still needed them.
    package var interrupted = 0
    /// Attempts to connect again.
    package var attempts = 0
    /// Attempts, and requests for a session key, that the gateway refused, by the error's name.
    package var refused = Reasons()
    /// Refusals among them of the token that the client had before.
    package var refusedWithOldToken = 0
    /// Attempts that failed without an error of the gateway.
    package var failed = Reasons()
    package var returned = 0
    /// The maximum number of attempts that one client needed to come back.
    package var attemptsMax = 0
    /// Requests for a session key over HTTP.
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

  /// The work of the token provider in a storm.
  package struct Provider: Hashable, Sendable, Codable {
    package var calls = 0
    /// Requests made to answer a refresh request.
    package var refreshCalls = 0
    /// Refresh requests that caused a request to the provider.
    package var refreshRounds = 0
    /// The maximum number of requests that one client made to answer one refresh request.
    package var longestRound = 0
    package var granted = 0
    package var refused = Reasons()
    /// The sum over loops of each loop's maximum number of concurrent requests.
    package var inFlightPeak = 0
    /// Tokens that no client waited for when they arrived.
    package var wasted = 0
    /// Tokens that the clients minted themselves, without a provider.
    package var mintedLocally = 0
    /// The requests of clients that are not well-behaved, by behaviour; nil for none. All others are of well-behaved
    /// clients.
    package var callsBy: [Behaviour: Int]?
    /// The answers that rate budgets give; nil for none.
    package var budgets: BudgetTally?
    /// The calls that the clients' rule for retries has held back, which are not among ``calls``; nil for none.
    package var heldBack: Int?
  }

  /// The gateway's settings as clients saw them, to compare with the plan.
  package struct Seen: Hashable, Sendable, Codable {
    /// The time of the first refresh request, in seconds from the start.
    package var firstAsked: Double?
    /// The longest timeout that a refresh request announced, in seconds.
    package var longestTimeout: Double?

    mutating func merge(_ other: Seen) {
      firstAsked = [firstAsked, other.firstAsked].compactMap { $0 }.min()
      longestTimeout = [longestTimeout, other.longestTimeout].compactMap { $0 }.max()
    }
  }

  /// The outcomes of the clients of one behaviour. At the end, each client that was ever connected is one of: kept,
  /// lost expectedly, lost unexpectedly, overstayed, unrefreshed, late, returned, signed out.
  package struct BehaviourTally: Hashable, Sendable, Codable {
    package var clients = 0
    package var connected = 0
    /// Clients that were refreshed at least once, whatever happened later.
    package var refreshed = 0
    /// Clients that were refreshed in every wave and were connected to the end of the storm.
    package var kept = 0
    package var lostExpectedly = 0
    package var lostUnexpectedly = 0
    /// Clients that the gateway should have closed but did not.
    package var overstayed = 0
    /// Clients that should have been refreshed and are still connected, but were not refreshed in every wave.
    package var unrefreshed = 0
    /// Clients that connected only after the common expiry, with tokens that outlive the storm.
    package var late = 0
    /// Clients that were interrupted and are back, with tokens that outlive the storm.
    package var returned = 0
    /// Clients that would be lost or unrefreshed, and whose device was signed out; nil for none.
    package var signedOut: Int?
    /// The time from the refresh request to the accepted refresh.
    package var refreshLatency = LatencyHistogram()

    package init() {}

    fileprivate var isPossible: Bool {
      [
        connected, refreshed, kept, lostExpectedly, lostUnexpectedly, overstayed, unrefreshed, late, returned,
        signedOut ?? 0,
      ]
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
      if let signedOut = other.signedOut { self.signedOut = (self.signedOut ?? 0) + signedOut }
      refreshLatency.merge(other.refreshLatency)
    }
  }

  /// The latencies of a storm, each from a need to its fulfilment.
  package struct Latencies: Hashable, Sendable, Codable {
    /// From the start of a connection to the accepted login.
    package var connect = LatencyHistogram()
    /// From the need for a token to its arrival, including the wait in the queue.
    package var provider = LatencyHistogram()
    /// The same for the calls that brought a token; nil for none.
    package var granted: LatencyHistogram?
    /// From the expected time of the first refresh request to a client's first refresh.
    package var sinceOnset = LatencyHistogram()
    /// From the end of a connection to the next login, for clients that came back by themselves.
    package var outage = LatencyHistogram()
    /// From the latest time at which the gateway should have asked, by the token's end and its lead time, to the
    /// accepted refresh; nil if the ends are unknown.
    package var overdue: LatencyHistogram?
  }

  /// Returns whether a fleet of that many clients can have this outcome or a part of it: no client has two outcomes.
  package func isPossible(of clients: Int) -> Bool {
    behaviours.values.allSatisfy(\.isPossible) && behaviours.values.reduce(0) { $0 + $1.clients } <= clients
      && provider.budgets?.isPossible(of: clients) ?? true
      && (fleets ?? []).allSatisfy { $0.result.fleets == nil && $0.result.isPossible(of: clients) }
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
    if let signOuts = other.signOuts { self.signOuts = (self.signOuts ?? SignOutTally()).merged(signOuts) }
    stopped = stopped ?? other.stopped
    for (behaviour, tally) in other.behaviours { behaviours[behaviour, default: .init()].merge(tally) }
    latencies.connect.merge(other.latencies.connect)
    latencies.provider.merge(other.latencies.provider)
    if let granted = other.latencies.granted { latencies.granted = (latencies.granted ?? .init()).merged(granted) }
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
    arrivals = ArrivalTally.sum(arrivals, other.arrivals)
    merge(phases: other.phases)
    merge(fleets: other.fleets)
  }

  /// Merges each phase with the one of the same name; all processes have the same phases.
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
    callsBy = BudgetTally.sum(callsBy, other.callsBy)
    if let budgets = other.budgets { self.budgets = (self.budgets ?? BudgetTally()).merged(budgets) }
    if let held = other.heldBack { heldBack = (heldBack ?? 0) + held }
  }
}
