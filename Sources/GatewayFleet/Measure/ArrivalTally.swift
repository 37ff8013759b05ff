/// The arrivals of clients that come and go.
package struct ArrivalTally: Hashable, Sendable, Codable {
  package var started = 0
  /// Arrivals that found the most clients there that may be there at one time.
  package var notStarted = 0
  /// Clients that left because their stay was over.
  package var left = 0
  /// Clients that had neither logged in nor failed when the storm ended; nil if there were none.
  package var unfinished: Int?
  /// The maximum number of clients at one time, as a sum over loops.
  package var presentPeak = 0

  package init() {}

  /// All arrivals so far.
  package var planned: Int { started + notStarted }

  /// Returns the sum of two parts of one storm; nil if neither has arrivals.
  static func sum(_ one: ArrivalTally?, _ other: ArrivalTally?) -> ArrivalTally? {
    guard var sum = one, let other else { return one ?? other }
    sum.started = StormSeries.believed(sum.started) + StormSeries.believed(other.started)
    sum.notStarted = StormSeries.believed(sum.notStarted) + StormSeries.believed(other.notStarted)
    sum.left = StormSeries.believed(sum.left) + StormSeries.believed(other.left)
    if sum.unfinished ?? other.unfinished != nil {
      sum.unfinished = StormSeries.believed(sum.unfinished ?? 0) + StormSeries.believed(other.unfinished ?? 0)
    }
    sum.presentPeak = StormSeries.believed(sum.presentPeak) + StormSeries.believed(other.presentPeak)
    return sum
  }

  /// Returns the counts since `earlier`; the most at one time is that of the whole storm.
  func since(_ earlier: ArrivalTally?) -> ArrivalTally {
    guard let earlier else { return self }
    var part = self
    part.started -= earlier.started
    part.notStarted -= earlier.notStarted
    part.left -= earlier.left
    part.unfinished = unfinished.map { $0 - (earlier.unfinished ?? 0) }
    return part
  }
}
