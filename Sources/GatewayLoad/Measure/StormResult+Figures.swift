// What the report and the thresholds make of the counts.

extension StormResult {
  /// All behaviours together.
  package var everybody: BehaviourTally {
    behaviours.values.reduce(into: BehaviourTally()) { $0.merge($1) }
  }

  /// Clients that were connected and should have been refreshed.
  package var refreshable: Int {
    refreshing.reduce(0) { $0 + $1.kept + $1.lostUnexpectedly + $1.unrefreshed }
  }

  /// How many of those were, every time, and kept their connection; nil if there were none.
  package var refreshedShare: Double? {
    let refreshable = refreshable
    return refreshable == 0 ? nil : Double(refreshing.reduce(0) { $0 + $1.kept }) / Double(refreshable)
  }

  private var refreshing: [BehaviourTally] {
    [Behaviour.wellBehaved, .slow].compactMap { behaviours[$0] }
  }

  /// When that share of those that should be were refreshed for the first time, counted from the onset; nil if never.
  package func timeUntil(share: Double) -> Duration? {
    let rank = UInt64((Double(refreshable) * share).rounded(.up))
    return latencies.sinceOnset.duration(ofRank: max(1, rank))
  }

  /// Calls of the provider for each refresh request that it was called for: 1 when nothing goes wrong.
  package var callsPerExpiry: Double? {
    provider.refreshRounds == 0 ? nil : Double(provider.refreshCalls) / Double(provider.refreshRounds)
  }

  /// Attempts for each success: calls of the provider for each token it gave.
  package var retryAmplification: Double? {
    provider.granted == 0 ? nil : Double(provider.calls) / Double(provider.granted)
  }

  /// Attempts to connect again for each connection that ended; nil if none did.
  package var attemptsPerReturn: Double? {
    returns.interrupted == 0 ? nil : Double(returns.attempts) / Double(returns.interrupted)
  }

  /// The gateway's CPU time, user and system, for each accepted refresh.
  package var gatewayCPUPerRefresh: Duration? {
    guard let before = probes[.beforeExpiry], let after = probes[.afterSettling], refreshes.accepted > 0,
      after.cpuSeconds >= before.cpuSeconds
    else { return nil }
    return .nanoseconds(Int64((after.cpuSeconds - before.cpuSeconds) / Double(refreshes.accepted) * 1e9))
  }

  /// The gateway's resident memory for each idle connection.
  package var gatewayBytesPerConnection: Double? {
    guard let before = probes[.beforeRamp], let after = probes[.beforeExpiry], connects.accepted > connects.again
    else {
      return nil
    }
    return (after.residentBytes - before.residentBytes) / Double(connects.accepted - connects.again)
  }
}
