internal import GatewayCore
import GatewayFleet

// The clients' actions and outcomes.

extension Metric {
  static let connects = [
    Metric("connects.attempted", .count, "connections begun") { Double($0.connects.attempted) },
    Metric("connects.ok", .count, "logins accepted") { Double($0.connects.accepted) },
    Metric(
      "connects.failed", .count, "clients whose first connection led to no login", better: .lower,
      least: { Double(max(0, $0.connects.failed.total - $0.ownDoing(\.failedLogins))) }
    ) { Double($0.connects.failed.total) },
    Metric(
      "connects.failed.share", .share,
      "the failed attempts to log in, as a share of all finished attempts; reconnections count too",
      better: .lower, missing: { _ in .none("no attempt was over") }
    ) { share(of: $0.failedAttempts, in: $0.failedAttempts + $0.connects.accepted) },
    Metric("connects.peak", .count, "the most logins in any one second", over: .connected) {
      peak($0, \.logins, .seconds(1))
    },
    Metric(
      "connected.dip", .share, "the lowest number of connected clients, as a share of the highest before",
      better: .higher,
      over: .staying, least: { $0.otherBound(ofDip: $0.dip) }
    ) { $0.dip },
    Metric(
      "connected.below_99", .duration, "how long fewer clients were connected than 99 % of the highest number before",
      better: .lower,
      over: .staying, least: { $0.otherBound(ofTime: $0.secondsBelow99) }
    ) { $0.secondsBelow99 },
    Metric(
      "connected.below_999", .duration,
      "how long fewer clients were connected than 99.9 % of the highest number before", better: .lower,
      over: .staying, least: { $0.otherBound(ofTime: $0.secondsBelow(0.999)) }
    ) { $0.secondsBelow(0.999) },
    Metric(
      "recovered.after", .duration,
      "from the end of what disturbed the fleet, or from the dip where nobody knows that, until 99.9 % were connected, nobody waited for the provider, and each token took fewer than 1.1 calls",
      better: .lower, over: .staying,
      missing: { _ in .never("the fleet was not back to where it was when the storm ended") },
      least: { $0.otherBound(ofTime: $0.recoveredAfter) }
    ) { $0.recoveredAfter },
    Metric(
      "connects.peak_10s", .count, "the most logins in any ten seconds", over: .connected
    ) { peak($0, \.logins, .seconds(10)) },
    Metric(
      "horizon.peak", .share,
      "the expiries in the fullest ten seconds ahead, at the end of the storm, in a simulated world",
      missing: { _ in .unmeasurable("only a simulated world knows them") }
    ) { $0.horizonPeak },
  ]

  static let refreshes = [
    Metric("refresh.asked", .count, "refresh requests", over: .connected) { Double($0.refreshes.asked) },
    Metric(
      "refresh.asked_peak", .count, "the most refresh requests in any one second", better: .lower, over: .connected
    ) {
      peak($0, \.asked, .seconds(1))
    },
    Metric(
      "refresh.asked_peak_10s", .count, "the most refresh requests in any ten seconds", better: .lower, over: .connected
    ) {
      peak($0, \.asked, .seconds(10))
    },
    Metric(
      "refresh.asked_peak_to_mean_10s", .ratio,
      "refresh.asked_peak_10s over the mean of the time that the wave was given", better: .lower, over: .asked
    ) { $0.peakToMean(\.asked, over: .seconds(10)) },
    Metric("refresh.answered", .count, "answers to refresh requests", over: .connected) {
      Double($0.refreshes.answered)
    },
    Metric("refresh.accepted", .count, "answers to refresh requests that the gateway accepted", over: .connected) {
      Double($0.refreshes.accepted)
    },
    Metric(
      "refresh.refused", .count, "answers to refresh requests that the gateway refused", better: .lower, over: .asked
    ) {
      Double($0.refreshes.refused.total)
    },
    Metric(
      "refresh.timed_out", .count, "refresh requests that were not answered in time, so that the connection ended",
      better: .lower, over: .asked,
      least: { Double(max(0, $0.refreshes.timedOut - $0.ownDoing(\.cutOff))) }
    ) {
      Double($0.refreshes.timedOut)
    },
    Metric("refresh.peak", .count, "the most accepted refreshes in any one second", over: .asked) {
      peak($0, \.accepted, .seconds(1))
    },
    Metric("refresh.peak_100ms", .count, "the most accepted refreshes in any 100 ms", over: .asked, missing: coarse) {
      peak($0, \.accepted, .milliseconds(100))
    },
    Metric(
      "refresh.peak_to_mean", .ratio,
      "refresh.peak over the mean of the time that the wave was given: 1 is flat, higher is sharper",
      over: .asked
    ) { $0.peakToMean(\.accepted, over: .seconds(1)) },
    Metric(
      "refresh.peak_to_mean_100ms", .ratio, "refresh.peak_100ms over the mean of the time that the wave was given",
      over: .asked,
      missing: coarse
    ) { $0.peakToMean(\.accepted, over: .milliseconds(100)) },
    Metric(
      "refresh.given", .duration, "the time that the waves were given: spread, scatter of the lives, and timeout"
    ) { $0.given },
    Metric("refresh.length", .duration, "from the first accepted refresh to the last", over: .asked) {
      $0.waveLength?.inSeconds
    },
    Metric(
      "refresh.half_within", .duration, "the shortest time in which half of all refreshes were accepted", over: .asked,
      missing: { _ in .none("nothing was refreshed") }
    ) { $0.shortestSpan(ofShare: 0.5)?.inSeconds },
    Metric(
      "refreshed.share", .share,
      "clients that were refreshed and stayed, as a share of the clients that should be, late ones included",
      better: .higher,
      missing: { _ in .none("no connected client was to be refreshed") },
      least: { $0.refreshedShareAtBest }
    ) {
      // A client that was kept without a request needed no refresh.
      $0.refreshes.asked == 0 && $0.everybody.kept > 0 ? nil : $0.refreshedShare
    },
    time(50, "from the first expected request until half of the clients were refreshed"),
    time(95, "from the first expected request until 95 % of the clients were refreshed"),
    time(99, "from the first expected request until 99 % of the clients were refreshed"),
  ]

  static let losses = [
    Metric(
      "lost", .count, "clients that were cut off, should not have been, and did not come back", better: .lower,
      over: .connected, least: { Double(max(0, $0.everybody.lostUnexpectedly - $0.ownDoing(\.lost))) }
    ) { Double($0.everybody.lostUnexpectedly) },
    Metric(
      "lost.share", .share, "lost clients, as a share of the clients that were connected", better: .lower,
      over: .connected,
      least: { result in
        let everybody = result.everybody
        return share(of: max(0, everybody.lostUnexpectedly - result.ownDoing(\.lost)), in: everybody.connected)
      }
    ) { $0.lostShare },
    Metric("lost.expected", .count, "clients that were cut off as their behaviour demands", over: .connected) {
      Double($0.everybody.lostExpectedly)
    },
    Metric("overstayed", .count, "clients that should have been cut off and were not", better: .lower, over: .connected)
    {
      Double($0.everybody.overstayed)
    },
    Metric("unrefreshed", .count, "clients that are still connected and were not refreshed", better: .lower, over: .due)
    {
      Double($0.everybody.unrefreshed)
    },
    Metric("late", .count, "clients that connected only after the common expiry", better: .lower, over: .connected) {
      Double($0.everybody.late)
    },
    Metric(
      "cut_off", .count, "connections of logged-in clients that ended before the storm ended them", better: .lower,
      over: .connected, least: { Double(max(0, $0.disconnects.total - $0.ownDoing(\.cutOff))) }
    ) { Double($0.disconnects.total) },
    Metric(
      "errors", .count, "errors of the gateway that answered neither a login nor a refresh", better: .lower,
      over: .connected
    ) { Double($0.errors.total) },
  ]

  static let returns = [
    Metric(
      "interrupted", .count, "connections that ended while their client meant to stay", better: .lower,
      over: .connected,
      least: { Double(max(0, $0.returns.interrupted - $0.ownDoing(\.cutOff))) }
    ) {
      Double($0.returns.interrupted)
    },
    Metric("returned", .count, "clients that came back after their connection ended", over: .connected) {
      Double($0.returns.returned)
    },
    Metric("return.attempts", .count, "attempts to connect again", better: .lower, over: .connected) {
      Double($0.returns.attempts)
    },
    Metric(
      "return.attempts_per_client", .ratio, "attempts to connect again, for each connection that ended", better: .lower,
      over: .connected,
      missing: { _ in .none("no connection ended") }
    ) { $0.attemptsPerReturn },
    Metric(
      "return.refused", .count, "attempts to connect again that the gateway refused", better: .lower, over: .connected
    ) {
      Double($0.returns.refused.total)
    },
    Metric(
      "return.refused_old", .count, "refused attempts to connect again with the previous token", better: .lower,
      over: .connected
    ) {
      Double($0.returns.refusedWithOldToken)
    },
    Metric(
      "return.failed", .count, "attempts to connect again that failed for another reason", better: .lower,
      over: .connected
    ) {
      Double($0.returns.failed.total)
    },
    Metric("return.peak", .count, "the most clients that came back in any one second", over: .connected) {
      peak($0, \.returned, .seconds(1))
    },
  ]

  static let ends = [
    margin(
      "margin.min", 0, "the least life that a token had left when its renewal was accepted; below 0 after its end"),
    margin("margin.p1", 1, "the life left of the token that 1 % of renewals did not reach"),
    Metric(
      "ends.early", .count, "connections that the gateway ended more than a second before the known end of their token",
      better: .lower, over: .connected, missing: { _ in .none("no connection ended whose token's end was known") }
    ) { result in result.tokens.endsKnown.map { _ in Double(result.tokens.endsEarly ?? 0) } },
  ]

  private static func margin(_ name: String, _ percent: Int, _ meaning: String) -> Metric {
    Metric(
      name, .duration, meaning, better: .higher,
      missing: { _ in .none("nothing was renewed whose end was known") }
    ) { $0.tokens.margin(percent: percent)?.inSeconds }
  }

  /// Returns the maximum number in any stretch of that length.
  static func peak(
    _ result: StormResult, _ counts: KeyPath<StormBins, StormBins.Counts>, _ length: Duration
  ) -> Double? {
    result.bins.peak(result.bins[keyPath: counts], over: length).map(Double.init)
  }

  /// Returns `part` as a share of `whole`; nil if `whole` is 0.
  static func share(of part: Int, in whole: Int) -> Double? {
    whole == 0 ? nil : Double(part) / Double(whole)
  }

  @Sendable static func coarse(_ result: StormResult) -> Absence {
    guard result.bins.milliseconds > 100 else { return .none("nothing was counted") }
    return .unmeasurable("a storm that may last so long is counted in steps of 1 s")
  }

  private static func time(_ percent: Int, _ meaning: String) -> Metric {
    Metric(
      "time_to_\(percent)", .duration, meaning, better: .lower,
      missing: { result in
        guard result.refreshable > 0 else { return .none("no connected client was to be refreshed") }
        guard result.refreshes.accepted == 0 || result.latencies.sinceOnset.count > 0 else {
          return .unmeasurable("each token expired by itself")
        }
        return .never("fewer than \(percent) % were")
      },
      least: { $0.timeUntil(share: Double(percent) / 100, withoutOwnLateness: true)?.inSeconds }
    ) { $0.timeUntil(share: Double(percent) / 100)?.inSeconds }
  }
}
