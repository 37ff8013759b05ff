internal import GatewayCore

/// The `Retry-After` of the token endpoint's busy answers.
package struct ToldWaits: Hashable, Sendable, Codable {
  /// The number of answers with one, and without.
  package private(set) var given = 0
  package private(set) var missing = 0
  /// The shortest and the longest, in seconds; nil for none.
  package private(set) var leastS: Double?
  package private(set) var mostS: Double?

  init() {}

  mutating func note(_ wait: Duration?) {
    guard let seconds = wait?.inSeconds else {
      missing += 1
      return
    }
    given += 1
    leastS = min(leastS ?? seconds, seconds)
    mostS = max(mostS ?? seconds, seconds)
  }

  package func merged(_ other: ToldWaits) -> ToldWaits {
    var sum = self
    sum.given = StormSeries.believed(StormSeries.believed(given) + StormSeries.believed(other.given))
    sum.missing = StormSeries.believed(StormSeries.believed(missing) + StormSeries.believed(other.missing))
    sum.leastS = [leastS, other.leastS].compactMap { $0 }.min()
    sum.mostS = [mostS, other.mostS].compactMap { $0 }.max()
    return sum
  }
}
