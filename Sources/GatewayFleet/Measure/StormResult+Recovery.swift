internal import GatewayCore

// Whether a fleet comes back to where it was, and what its provider's work was good for.

extension StormResult {
  /// Tokens that reached somebody who waited for them.
  package var goodput: Int { provider.granted - provider.wasted }

  /// Calls of the provider for each token that was of use; nil if none was.
  package var amplification: Double? {
    goodput <= 0 ? nil : Double(provider.calls) / Double(goodput)
  }

  /// The share of clients that were connected at least once that were lost for good and should not have been; nil if
  /// nobody was connected.
  package var lostShare: Double? {
    let everybody = everybody
    return everybody.connected == 0 ? nil : Double(everybody.lostUnexpectedly) / Double(everybody.connected)
  }

  /// How long, in seconds, fewer than that share were connected of the most before.
  package func secondsBelow(_ share: Double) -> Double {
    var highest = 0
    let count = bins.connected(until: seconds).reduce(0) { count, level in
      highest = max(highest, level)
      return Double(level) < share * Double(highest) ? count + 1 : count
    }
    return Double(count * bins.milliseconds) / 1000
  }

  /// How long, in seconds, it took until the fleet had recovered: 99.9 % of the most connected, nobody waiting for the
  /// provider for half a second where that is known, and fewer than 1.1 calls for each token of use, for a minute or to the
  /// end of a storm that nothing more was to come of. Nil for never.
  ///
  /// It counts from the end of what disturbed the fleet, where that is known. Where it is not, or where connections went
  /// again after the fleet had recovered, it counts from the beginning of the dip: beside a dip it is never 0.
  package var recoveredAfter: Double? {
    // What was to disturb it need not have come: a storm is over when everybody is refreshed.
    let isEarly = !ranOutOfTime && !wasInterrupted && (triggerEnd ?? 0) > seconds
    let known = isEarly ? nil : triggerEnd
    guard let dip = deepestDip else { return recovered(after: known ?? seen.firstAsked ?? 0) }
    // The wave that the tokens' expiry makes cuts off who is not refreshed in the time it is given.
    let wave = seen.firstAsked.flatMap { asked in
      (asked...asked + max(0, given) + Self.waveSlack).contains(dip.from) ? asked : nil
    }
    let trigger = known ?? wave ?? dip.from
    guard let found = recovered(after: trigger) else { return nil }
    let isBehind = dip.from >= trigger + found && dip.from > trigger
    guard found == 0 || isBehind else {
      // Recoveries are told to the second, dips more exactly.
      return known == nil ? max(found, dip.from + dip.length - trigger) : found
    }
    return recovered(after: dip.from).map { max($0, dip.length) }
  }

  /// In seconds: closes take a moment after the time-out.
  private static let waveSlack = 10.0

  /// The deepest dip, in seconds from the start: when the connected fell below 99.9 % of the most before, and for how long.
  /// Nil if they never did.
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

  /// How long after `trigger` the fleet had recovered; nil for never.
  private func recovered(after trigger: Double) -> Double? {
    let first = Int(max(0, min(trigger, Double(StormSeries.secondsMax))))
    let last = Int(min(seconds, Double(StormSeries.secondsMax)).rounded(.up))
    let connected = series.connected(seconds: max(last, first) + 1)
    // The most that were connected before, or come to be.
    let most = Double(connected.max() ?? 0)
    guard most > 0 else { return nil }
    func isCalm(_ second: Int) -> Bool {
      let age = queue.map { $0.ages.indices.contains(second) ? $0.ages[second] : 0 } ?? 0
      return Double(connected[second]) >= 0.999 * most && age < 500
    }
    // From the end backwards, so that each second is looked at once: for how long it has been calm from there on.
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
    return found.map { max(0, Double($0) - trigger) }
  }

  private static let calmSeconds = 60

  /// Calls at the window's end are answered behind it.
  private static func callsUnderWay(_ calls: Int) -> Double { calls < 20 ? 2 : 0 }

  /// The share of the expiries ahead that fall into the fullest ten seconds: how synchronised the fleet is left; nil where
  /// nobody knows them.
  package var horizonPeak: Double? {
    guard let horizon, let most = horizon.max(), most > 0 else { return nil }
    return Double(most) / Double(horizon.reduce(0, +))
  }
}
