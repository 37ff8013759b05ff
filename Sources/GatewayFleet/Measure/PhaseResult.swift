/// The outcome of a storm in one phase of its scenario.
package struct PhaseResult: Hashable, Sendable, Codable {
  package let name: String
  /// Its beginning and end, in seconds from the storm's start.
  package var from: Double
  package var to: Double
  /// The counts of the phase. The outcomes of clients are not part of them, since they are known only at the end.
  package var result: StormResult

  package init(name: String, from: Double, to: Double, result: StormResult) {
    self.name = name
    self.from = from
    self.to = to
    self.result = result
  }

  mutating func merge(_ other: PhaseResult) {
    from = min(from, other.from)
    to = max(to, other.to)
    result.merge(other.result)
  }
}

extension StormResult {
  /// Returns the counts since `earlier`, an earlier state of this result.
  package func since(_ earlier: StormResult) -> StormResult {
    var part = StormResult()
    part.connects.attempted = connects.attempted - earlier.connects.attempted
    part.connects.accepted = connects.accepted - earlier.connects.accepted
    part.connects.failed = connects.failed.since(earlier.connects.failed)
    part.connects.again = connects.again - earlier.connects.again
    part.connects.before = max(0, earlier.connects.accepted - earlier.disconnects.total)
    part.refreshes.asked = refreshes.asked - earlier.refreshes.asked
    part.refreshes.askedAgain = refreshes.askedAgain - earlier.refreshes.askedAgain
    part.refreshes.answered = refreshes.answered - earlier.refreshes.answered
    part.refreshes.accepted = refreshes.accepted - earlier.refreshes.accepted
    part.refreshes.refused = refreshes.refused.since(earlier.refreshes.refused)
    part.refreshes.timedOut = refreshes.timedOut - earlier.refreshes.timedOut
    part.refreshes.givenUp = refreshes.givenUp.since(earlier.refreshes.givenUp)
    part.returns.interrupted = returns.interrupted - earlier.returns.interrupted
    part.returns.attempts = returns.attempts - earlier.returns.attempts
    part.returns.refused = returns.refused.since(earlier.returns.refused)
    part.returns.refusedWithOldToken = returns.refusedWithOldToken - earlier.returns.refusedWithOldToken
    part.returns.failed = returns.failed.since(earlier.returns.failed)
    part.returns.returned = returns.returned - earlier.returns.returned
    part.disconnects = disconnects.since(earlier.disconnects)
    part.errors = errors.since(earlier.errors)
    part.tokens = tokens.since(earlier.tokens)
    part.signOuts = signOuts.map { $0.since(earlier.signOuts) }
    part.provider.calls = provider.calls - earlier.provider.calls
    part.provider.refreshCalls = provider.refreshCalls - earlier.provider.refreshCalls
    part.provider.refreshRounds = provider.refreshRounds - earlier.provider.refreshRounds
    part.provider.granted = provider.granted - earlier.provider.granted
    part.provider.refused = provider.refused.since(earlier.provider.refused)
    part.provider.wasted = provider.wasted - earlier.provider.wasted
    part.provider.callsBy = provider.callsBy.map { BudgetTally.since($0, earlier.provider.callsBy ?? [:]) }
    part.provider.budgets = provider.budgets.map { $0.since(earlier.provider.budgets) }
    part.provider.heldBack = provider.heldBack.map { $0 - (earlier.provider.heldBack ?? 0) }
    part.provider.mintedLocally = provider.mintedLocally - earlier.provider.mintedLocally
    for (behaviour, tally) in behaviours {
      part.behaviours[behaviour, default: .init()].refreshLatency = tally.refreshLatency.since(
        earlier.behaviours[behaviour]?.refreshLatency ?? LatencyHistogram())
    }
    part.latencies.connect = latencies.connect.since(earlier.latencies.connect)
    part.latencies.provider = latencies.provider.since(earlier.latencies.provider)
    part.latencies.outage = latencies.outage.since(earlier.latencies.outage)
    part.latencies.overdue = latencies.overdue.map { $0.since(earlier.latencies.overdue ?? LatencyHistogram()) }
    part.lateness = lateness(since: earlier)
    part.bins = bins.since(earlier.bins)
    part.arrivals = arrivals.map { $0.since(earlier.arrivals) }
    return part
  }
}

extension Reasons {
  func since(_ earlier: Reasons) -> Reasons {
    var part = Reasons()
    for (reason, number) in sorted where number > earlier[reason] { part.count(reason, number - earlier[reason]) }
    return part
  }
}
