package import GatewayCore

// Clients that come and go.

extension Ledger {
  /// Counts an arrival that took a place, which makes that many clients at one time.
  package mutating func arrived(present: Int) {
    var tally = result.arrivals ?? ArrivalTally()
    tally.started += 1
    tally.presentPeak = max(tally.presentPeak, present)
    result.arrivals = tally
  }

  /// Counts an arrival that found no place.
  package mutating func notStarted() {
    var tally = result.arrivals ?? ArrivalTally()
    tally.notStarted += 1
    result.arrivals = tally
  }

  /// Counts a client that had neither logged in nor failed at the end of the storm. Of a fleet that comes once it is a
  /// failure, since the storm waits for every login. Clients that come and go arrive until the end.
  package mutating func unfinished(at now: Instant) {
    guard var tally = result.arrivals else {
      blameItself([\.failedLogins], at: now)
      return result.connects.failed.count("unfinished")
    }
    tally.unfinished = (tally.unfinished ?? 0) + 1
    result.arrivals = tally
  }

  /// Counts a client whose stay is over.
  ///
  /// - Parameters:
  ///   - wasConnected: Whether it was connected.
  ///   - now: The time.
  package mutating func departed(wasConnected: Bool, at now: Instant) {
    reach(now)
    var tally = result.arrivals ?? ArrivalTally()
    tally.left += 1
    result.arrivals = tally
    guard wasConnected else { return }
    connected -= 1
    result.series.ends.count(atSecond: second(now))
  }
}
