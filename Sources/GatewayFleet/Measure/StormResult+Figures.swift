internal import GatewayCore

// Figures that the report and the thresholds derive from the counts.

extension StormResult {
  /// Failed attempts to log in, including those on the way back.
  package var failedAttempts: Int { connects.failed.total + returns.refused.total + returns.failed.total }

  /// Returns the shortest time in which that share (0...1) of all refreshes was accepted; nil if there were none.
  package func shortestSpan(ofShare share: Double) -> Duration? {
    guard bins.accepted.total > 0 else { return nil }
    let number = max(1, Int((Double(bins.accepted.total) * share).rounded(.up)))
    return bins.accepted.shortest(for: number).map { .milliseconds($0 * bins.milliseconds) }
  }

  /// The tally of all behaviours together.
  package var everybody: BehaviourTally {
    behaviours.values.reduce(into: BehaviourTally()) { $0.merge($1) }
  }

  /// Clients that were connected and should have been refreshed. A client that connected only after the common expiry
  /// counts too: it came too late for its planned wave.
  package var refreshable: Int {
    refreshing.reduce(0) { $0 + $1.kept + $1.lostUnexpectedly + $1.unrefreshed + $1.late + ($1.signedOut ?? 0) }
  }

  /// The share of them that had every refresh and kept their connection; nil if there were none.
  package var refreshedShare: Double? {
    let refreshable = refreshable
    return refreshable == 0 ? nil : Double(refreshing.reduce(0) { $0 + $1.kept }) / Double(refreshable)
  }

  private var refreshing: [BehaviourTally] {
    [Behaviour.wellBehaved, .slow, .hammering].compactMap { behaviours[$0] }
  }

  /// Returns when that share of the refreshable clients had its first refresh, counted from the onset; nil if never.
  package func timeUntil(share: Double, withoutOwnLateness: Bool = false) -> Duration? {
    let rank = UInt64((Double(refreshable) * share).rounded(.up))
    let times = withoutOwnLateness ? least(.sinceOnset) : latencies.sinceOnset
    return times?.duration(ofRank: max(1, rank))
  }

  /// Returns the highest rate of `counts` over stretches of `length`, as a multiple of the rate of an even spread over
  /// the wave's given time. 1 is flat; all in one second of 60 is 60. Returns nil if there were none, or if the bins
  /// are wider than `length`.
  package func peakToMean(_ counts: KeyPath<StormBins, StormBins.Counts>, over length: Duration) -> Double? {
    let counts = bins[keyPath: counts]
    guard counts.total > 0, let peak = bins.peak(counts, over: length) else { return nil }
    return Double(peak) * max(1, given / length.inSeconds) / Double(counts.total)
  }

  /// The time from the first accepted refresh to the last; nil if there were none.
  package var waveLength: Duration? {
    guard let first = bins.accepted.bin(ofShare: 0), let last = bins.accepted.bin(ofShare: 1) else { return nil }
    return .milliseconds((last - first + 1) * bins.milliseconds)
  }

  /// The lowest number of connected clients as a share of the highest number before it; nil if no client was connected.
  package var dip: Double? {
    var highest = 0
    var lowest = 1.0
    for level in bins.connected(until: seconds) {
      highest = max(highest, level)
      if highest > 0 { lowest = min(lowest, Double(level) / Double(highest)) }
    }
    return highest == 0 ? nil : lowest
  }

  /// How long fewer than 99 % of the earlier maximum of clients were connected, in seconds.
  package var secondsBelow99: Double {
    var highest = 0
    let count = bins.connected(until: seconds).reduce(0) { count, level in
      highest = max(highest, level)
      return Double(level) < 0.99 * Double(highest) ? count + 1 : count
    }
    return Double(count * bins.milliseconds) / 1000
  }

  /// Requests to the provider that were still pending when the storm ended.
  package var unansweredCalls: Int { max(0, provider.calls - provider.granted - provider.refused.total) }

  /// Requests to the provider per refresh request that caused any: 1 if nothing goes wrong.
  package var callsPerExpiry: Double? {
    provider.refreshRounds == 0 ? nil : Double(provider.refreshCalls) / Double(provider.refreshRounds)
  }

  /// Requests to the provider per token that it gave.
  package var retryAmplification: Double? {
    provider.granted == 0 ? nil : Double(provider.calls) / Double(provider.granted)
  }

  /// Attempts to connect again per connection that ended; nil if none did.
  package var attemptsPerReturn: Double? {
    returns.interrupted == 0 ? nil : Double(returns.attempts) / Double(returns.interrupted)
  }

  /// Accepted first logins, one for each client.
  private var firstConnects: Int { connects.accepted - connects.again }

  /// The generator's CPU time, user and system, per accepted refresh; nil if it was not read.
  package var generatorCPUPerRefresh: Duration? {
    cpu(generator, from: .beforeExpiry, to: .afterSettling, for: refreshes.accepted)
  }

  /// The generator's CPU time per client's first login, including all other work in that time.
  package var generatorCPUPerConnect: Duration? {
    cpu(generator, from: .beforeRamp, to: .beforeExpiry, for: firstConnects)
  }

  /// The gateways' CPU time per client's first login, including all other work in that time.
  package var gatewayCPUPerConnect: Duration? {
    isOfAnotherGateway ? nil : cpu(probes, from: .beforeRamp, to: .beforeExpiry, for: firstConnects)
  }

  /// A limit of thirty years for the CPU time that other processes report.
  private static let cpuSecondsMax = 1e9

  private func cpu(
    _ readings: [ProcessProbe.Moment: ProcessProbe.Sample], from start: ProcessProbe.Moment,
    to end: ProcessProbe.Moment, for count: Int
  ) -> Duration? {
    guard let before = readings[start], let after = readings[end], count > 0, before.isContinued(by: after) else {
      return nil
    }
    let seconds = (after.cpuSeconds - before.cpuSeconds) / Double(count)
    return .nanoseconds(Int64(min(seconds, Self.cpuSecondsMax) * 1e9))
  }

  /// The gateways' CPU time, user and system, per accepted refresh.
  package var gatewayCPUPerRefresh: Duration? {
    isOfAnotherGateway ? nil : cpu(probes, from: .beforeExpiry, to: .afterSettling, for: refreshes.accepted)
  }

  /// The gateway's resident memory per idle connection; nil if it is unknown.
  package var gatewayBytesPerConnection: Double? {
    guard whyMemoryIsUnknown == nil, let before = probes[.beforeRamp], let after = probes[.beforeExpiry] else {
      return nil
    }
    return (after.residentBytes - before.residentBytes) / connectionsAdded(before, after)
  }

  /// Why the memory of a connection is unknown; nil if it is known. A process that had connections before reuses their
  /// memory, so that it hardly grows.
  package var whyMemoryIsUnknown: String? {
    guard let before = probes[.beforeRamp], let after = probes[.beforeExpiry] else {
      return "the gateway's figures were not read before and after the ramp"
    }
    guard firstConnects > 0 else { return "nobody was connected" }
    guard before.connectionsOpened <= Double(firstConnects) * Self.earlierShareMax else {
      return "the gateway had connections before this storm, whose memory it uses again; start it anew"
    }
    guard before.isContinued(by: after) else { return Self.restarted }
    guard !isOfAnotherGateway else { return Self.another }
    guard connectionsAdded(before, after) > 0 else { return "nobody was connected when they were read" }
    guard after.residentBytes > before.residentBytes else { return "the gateway's memory did not grow" }
    return nil
  }

  /// Returns how many more connections were open at the later reading; all first logins if the gateway does not export
  /// it.
  private func connectionsAdded(_ before: ProcessProbe.Sample, _ after: ProcessProbe.Sample) -> Double {
    guard let open = after.connectionsOpen, let openBefore = before.connectionsOpen else {
      return Double(firstConnects)
    }
    return open - openBefore
  }

  /// Why the CPU time of a refresh is unknown, if it is.
  package var whyCPUIsUnknown: String {
    guard !isOfAnotherGateway else { return Self.another }
    guard let before = probes[.beforeExpiry], let after = probes[.afterSettling], !before.isContinued(by: after) else {
      return "the gateway's figures were not read before and after a refresh"
    }
    return Self.restarted
  }

  /// Whether the control port belongs to another gateway, which opened no connection while the storm's clients logged
  /// in.
  package var isOfAnotherGateway: Bool {
    guard let before = probes[.beforeRamp], let after = probes[.afterSettling], before.isContinued(by: after),
      after.connectionsOpen != nil
    else { return false }
    return connects.accepted > 0 && after.connectionsOpened == before.connectionsOpened
  }

  private static let another = "the gateway of the control port had none of the storm's connections"
  private static let restarted = "the gateway was started anew between the readings of its figures"

  /// Earlier connections are ignored if they are fewer than this share of the storm's.
  private static let earlierShareMax = 0.01
}
