internal import GatewayCore

// The recovery of a fleet, and the useful share of its provider's work.

extension StormResult {
  /// Tokens that reached a client that waited for them.
  package var goodput: Int { provider.granted - provider.wasted }

  /// Requests to the provider per useful token; nil if none was useful.
  package var amplification: Double? {
    goodput <= 0 ? nil : Double(provider.calls) / Double(goodput)
  }

  /// The share of the clients with at least one connection that were lost unexpectedly; nil if no client was connected.
  package var lostShare: Double? {
    let everybody = everybody
    return everybody.connected == 0 ? nil : Double(everybody.lostUnexpectedly) / Double(everybody.connected)
  }

  /// Returns how long fewer than that share of the earlier maximum of clients were connected, in seconds.
  package func secondsBelow(_ share: Double) -> Double {
    var highest = 0
    let count = bins.connected(until: seconds).reduce(0) { count, level in
      highest = max(highest, level)
      return Double(level) < share * Double(highest) ? count + 1 : count
    }
    return Double(count * bins.milliseconds) / 1000
  }

  /// The time in seconds until the fleet had recovered; nil for never. Recovered means all of this, for a minute or to
  /// the end of a storm with nothing more to come:
  ///
  /// - 99.9 % of the maximum number of clients are connected.
  /// - No request has waited for the provider for half a second, if that is known.
  /// - There are fewer than 1.1 requests to the provider per useful token.
  ///
  /// The time counts from the end of the disturbance, if that is known. It counts from the beginning of the dip if that
  /// end is unknown, or if connections were lost again after a recovery. If there is a dip, it is never 0.
  package var recoveredAfter: Double? {
    // The disturbance may not have happened: a storm is over when all clients are refreshed.
    let isEarly = !ranOutOfTime && !wasInterrupted && (triggerEnd ?? 0) > seconds
    let known = isEarly ? nil : triggerEnd
    guard let dip = deepestDip else { return recovered(after: known ?? seen.firstAsked ?? 0) }
    // The wave of the tokens' expiry closes clients that are not refreshed within its given time.
    let wave = seen.firstAsked.flatMap { asked in
      (asked...asked + max(0, given) + Self.waveSlack).contains(dip.from) ? asked : nil
    }
    let trigger = known ?? wave ?? dip.from
    guard let found = recovered(after: trigger) else { return nil }
    let isBehind = dip.from >= trigger + found && dip.from > trigger
    guard found == 0 || isBehind else {
      // A queue is known to the second, dips more exactly.
      return known == nil ? max(found, dip.from + dip.length - trigger) : found
    }
    return recovered(after: dip.from).map { max($0, dip.length) }
  }

  /// In seconds: a close takes a moment after the timeout.
  private static let waveSlack = 10.0

  /// The deepest dip, in seconds from the start: when the number of clients fell below 99.9 % of the earlier maximum,
  /// and for how long. Nil if it never did.
  private var deepestDip: (from: Double, length: Double)? {
    var (highest, lowest) = (0, 1.0)
    var began: Int?
    var found: (from: Int, bins: Int)?
    for (bin, level) in bins.connected(until: seconds).enumerated() {
      highest = max(highest, level)
      guard highest > 0, Double(level) < 0.999 * Double(highest) else {
        began = nil
        continue
      }
      let from = began ?? bin
      began = from
      let share = Double(level) / Double(highest)
      if share < lowest || found?.from == from { found = (from, bin - from + 1) }
      lowest = min(lowest, share)
    }
    let width = Double(bins.milliseconds) / 1000
    return found.map { (Double($0.from) * width, Double($0.bins) * width) }
  }

  /// Returns how long after `trigger` the fleet had recovered; nil for never.
  private func recovered(after trigger: Double) -> Double? {
    let first = Int(max(0, min(trigger, Double(StormSeries.secondsMax))))
    let last = Int(min(seconds, Double(StormSeries.secondsMax)).rounded(.up))
    let connected = series.connected(seconds: max(last, first) + 1)
    // The maximum number of connected clients, before or after the trigger.
    let most = Double(connected.max() ?? 0)
    guard most > 0 else { return nil }
    func isCalm(_ second: Int) -> Bool {
      let age = queue.map { $0.ages.indices.contains(second) ? $0.ages[second] : 0 } ?? 0
      return Double(connected[second]) >= 0.999 * most && age < 500
    }
    // The loop runs backwards, so that each second is visited once; `calm` is the number of calm seconds from there on.
    var calm = 0
    var (calls, useful) = (0, 0)
    var found: Int?
    for second in stride(from: last, through: first, by: -1) {
      calls += series.providerCalls[second]
      useful += series.providerUseful[second]
      if second + Self.calmSeconds <= last {
        calls -= series.providerCalls[second + Self.calmSeconds]
        useful -= series.providerUseful[second + Self.calmSeconds]
      }
      calm = isCalm(second) ? calm + 1 : 0
      let isLong = calm >= Self.calmSeconds || (calm > last - second && !ranOutOfTime && !wasInterrupted)
      if isLong && Double(calls) <= 1.1 * Double(useful) + Self.callsUnderWay(calls) { found = second }
    }
    return found.map { max(0, ($0 > first ? full(in: $0, above: 0.999 * most) : Double($0)) - trigger) }
  }

  /// Returns when in that second the number of connected clients rose to `level` and stayed there, in seconds from the
  /// start; the second's beginning if it was there already.
  private func full(in second: Int, above level: Double) -> Double {
    let perSecond = 1000 / max(1, bins.milliseconds)
    let connected = bins.connected(until: seconds)
    // The last second may have no bins: a storm may end within it.
    let bins = connected.indices.clamped(to: second * perSecond..<(second + 1) * perSecond)
    guard let last = bins.last(where: { Double(connected[$0]) < level }) else { return Double(second) }
    return Double(last + 1) / Double(perSecond)
  }

  private static let calmSeconds = 60

  /// Returns an allowance for requests at the end of the window that are answered after it.
  private static func callsUnderWay(_ calls: Int) -> Double { calls < 20 ? 2 : 0 }

  /// The state of a fleet after a disturbance.
  package enum Recovery: Hashable, Sendable {
    /// It recovered and stayed so, this many seconds after the disturbance.
    case recovered(after: Double)
    /// The provider is calm, but clients that it lost do not come back.
    case losesClients
    /// The provider still works for requests that come to nothing.
    case staysDown
  }

  /// Returns the state of the fleet at the end, if it may take `limit` seconds to recover.
  package func recovery(within limit: Double) -> Recovery {
    guard endsCalm else { return .staysDown }
    guard let after = recoveredAfter else { return .losesClients }
    return after <= limit ? .recovered(after: after) : .staysDown
  }

  /// Whether in the last minute no request waited and hardly any was useless.
  private var endsCalm: Bool {
    let last = Int(min(seconds, Double(StormSeries.secondsMax)))
    var (calls, useful) = (0, 0)
    for second in max(0, last - Self.calmSeconds)..<max(0, last) {
      if let ages = queue?.ages, ages.indices.contains(second), ages[second] >= 500 { return false }
      calls += series.providerCalls[second]
      useful += series.providerUseful[second]
    }
    return Double(calls) <= 1.1 * Double(useful) + Self.callsUnderWay(calls)
  }

  /// The share of upcoming expiries that fall into the fullest ten seconds, which shows how synchronized the fleet is;
  /// nil if they are unknown.
  package var horizonPeak: Double? {
    guard let horizon, let most = horizon.max(), most > 0 else { return nil }
    return Double(most) / Double(horizon.reduce(0, +))
  }
}
