internal import GatewayCore
import GatewayFleet

extension StormResult {
  /// Returns the restrictions on the figures' reliability, e.g. that the storm was interrupted, or that the plan's
  /// settings differ from those seen.
  func caveats(_ plan: StormPlan) -> [String] {
    var caveats: [String] = []
    if let stopped { caveats.append("ended after \(Figures.decimal(seconds, places: 1)) s: \(stopped)") }
    caveats += tokens.sentences.sorted { $0.key < $1.key }.map(\.value)
    if errors["unmatched"] > 0 {
      caveats.append(
        "no rule of the wire's description takes \(Figures.count(errors["unmatched"])) of the gateway's messages: "
          + "something is missing in it; postern wire try shows what")
    } else if connects.accepted == 0, connects.failed["timed_out"] > 0 {
      caveats.append(
        "within \(Figures.duration(plan.connectTimeout)) (--connect-timeout) the gateway let nobody in, and refused "
          + "nobody: it heard no login that it knows, or said nothing that its clients know")
    }
    if let offset = tokens.clockOffset {
      caveats.append(
        "the endpoint's clock is \(Figures.seconds(abs(offset))) \(offset > 0 ? "ahead of" : "behind") ours: the ends "
          + "that it and its tokens tell are corrected by that")
    }
    if wasInterrupted { caveats.append("interrupted after \(Figures.decimal(seconds, places: 1)) s") }
    if ranOutOfTime { caveats.append(outOfTimeCaveat) }
    if seconds > Double(StormSeries.secondsMax) {
      caveats.append(
        "longer than \(StormSeries.secondsMax / 86_400) days: what came after that is counted in the last second of them, so "
          + "that peaks and recoveries are not to be believed")
    }
    if isOfAnotherGateway {
      caveats.append(
        "the gateway of the control port had none of the storm's connections: its settings and figures are another's")
    }
    if let signOuts, signOuts.shownAgain > 0 {
      caveats.append(
        "\(Figures.count(signOuts.shownAgain)) refresh tokens were shown again after no answer; the endpoint refused "
          + "\(Figures.count(signOuts.shownAgainRefused)) of them")
    }
    let parts = plan.processes * plan.loops
    if plan.retry?.per == .fleet, parts > 1, source != "machines" {
      caveats.append(
        "the rule for retries of the whole fleet is one for each of \(parts) loops, with its share of the budget")
    }
    return caveats
      + [
        latenessCaveat, lateCaveat, unfinishedCaveat, timeoutCaveat(plan), onsetCaveat(plan), roomCaveat(plan),
      ].compactMap { $0 }
  }

  private var outOfTimeCaveat: String {
    let everybody = everybody
    guard everybody.unrefreshed + everybody.lostUnexpectedly + everybody.overstayed == 0, connects.accepted > 0 else {
      return "out of time: not every client was refreshed or cut off by the end"
    }
    let unfinished = connects.failed["unfinished"]
    guard unfinished == 0 else {
      let clients = unfinished == 1 ? "1 client" : "\(Figures.count(unfinished)) clients"
      return "out of time: the storm waited for \(clients) that had not logged in yet"
    }
    return "out of time: the storm waited for clients that were still refreshed again or on their way back"
  }

  /// The warning that clients came too late for their planned wave.
  private var lateCaveat: String? {
    let everybody = everybody
    guard everybody.late > 0 else { return nil }
    let (late, all) = (Figures.count(everybody.late), Figures.count(everybody.connected))
    return "\(late) of \(all) connected clients were let in only "
      + "after the tokens of all others had expired, so nothing was asked of them: the wave was smaller than planned; "
      + "--hold or --expire-after leaves them more time"
  }

  /// The warning that many clients had not logged in when a storm of arrivals ended.
  private var unfinishedCaveat: String? {
    guard let arrivals, let unfinished = arrivals.unfinished, unfinished > 0, unfinished >= arrivals.started / 20 else {
      return nil
    }
    return "\(Figures.count(unfinished)) of \(Figures.count(arrivals.started)) clients were still logging in when the "
      + "storm ended, and count neither as failed nor as lost; let arrivals end earlier"
  }

  private func timeoutCaveat(_ plan: StormPlan) -> String? {
    guard let seen = seen.longestTimeout, plan.gateway.timeoutSource != .assumed else { return nil }
    let expected = plan.gateway.timeout.inSeconds
    guard abs(seen - expected) > max(Self.timeoutSlack, expected * 0.05) else { return nil }
    return """
      \(plan.gateway.timeoutSource.words) a refresh timeout of \(Figures.duration(plan.gateway.timeout)), but the gateway \
      announced \(Figures.seconds(seen)) to its clients: who was cut off, and when, is judged by that
      """
  }

  private func onsetCaveat(_ plan: StormPlan) -> String? {
    guard plan.expiry == .common, let first = seen.firstAsked else { return nil }
    let expected = min(plan.onset.inSeconds, askOrderedAt ?? .infinity)
    // A request that came while the storm itself stood still was read late.
    let lateness = first - expected - absence(from: expected, to: first)
    let slack = max(
      Self.onsetSlack, plan.life.scaled(by: plan.jitter).inSeconds * 0.2, plan.gateway.spread.inSeconds * 0.2)
    guard lateness < -Self.onsetSlack || lateness > slack else { return nil }
    let times = "\(Figures.duration(plan.gateway.lead)) and \(Figures.duration(plan.gateway.spread))"
    let sources = Set([plan.gateway.leadSource, plan.gateway.spreadSource])
    let source =
      sources.contains(.assumed) ? "assumed" : sources.contains(.told) ? "told" : "the gateway's own settings"
    return """
      the first refresh request came \(Figures.seconds(abs(lateness))) \(lateness < 0 ? "earlier" : "later") than a lead \
      and a spread of \(times) let expect (\(source)): the times until 50, 95 and 99 % count from \
      \(lateness < 0 ? "that request" : "the expected moment"), unless somebody else asked for refreshes
      """
  }

  /// Returns how long the storm's own loops stood still between two times; 0 if the second is the earlier one. All in
  /// seconds from the start.
  private func absence(from start: Double, to end: Double) -> Double {
    guard let stalls = lateness?.stalls, start < end else { return 0 }
    let lost = stalls.reduce(0) { $0 + max(0, min($1.at + $1.length, end) - max($1.at, start)) }
    return min(lost, end - start)
  }

  /// Returns a warning if tokens are too short for the gateway's lead and spread; nil otherwise.
  private func roomCaveat(_ plan: StormPlan) -> String? {
    let window = plan.gateway.lead + plan.gateway.spread
    let later = plan.life.scaled(by: 1 - plan.jitter)
    let first = plan.expiry == .own ? later : plan.expiresAfter - plan.pacer.duration
    let shortest = plan.waves > 1 ? min(first, later) : first
    guard window > .zero, refreshes.asked > 0, shortest < window * 2 else { return nil }
    return """
      some tokens live no longer than \(Figures.duration(shortest)), which leaves no room for a lead and a spread of \
      \(Figures.duration(window)) together: Postern asks when half of a life is over at the earliest, so the requests \
      come later and closer together than its settings say
      """
  }

  /// In seconds: the announced timeout counts from slightly earlier, and vendors date their tokens in whole seconds.
  private static let timeoutSlack = 1.0
  private static let onsetSlack = 2.0
}

extension StormPlan.GatewayTimes.Source {
  fileprivate var words: String {
    switch self {
    case .assumed: "the storm assumed"
    case .told: "the storm was told"
    case .gateway: "the gateway's settings name"
    }
  }
}
