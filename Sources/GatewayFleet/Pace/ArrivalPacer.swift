internal import GatewayCore

/// A timetable of arrivals, e.g. client 1,000 connects after 2 s at 500 a second. It depends on the plan alone. It
/// never waits for a slow gateway, which would hide the slowness that is measured (coordinated omission).
package struct ArrivalPacer: Hashable, Sendable {
  /// The number of arrivals.
  package let count: Int
  /// Arrivals per second once the ramp is over.
  package let rate: Double
  /// How long the rate rises linearly from 0, in seconds.
  private let ramp: Double
  /// The stages of a rate that changes; empty for a ramp.
  private let stages: [Stage]

  /// A stretch of time with a linear rate.
  private struct Stage: Hashable, Sendable {
    /// In seconds from the start.
    let start: Double
    /// At its start, and its change in a second.
    let rate: Double
    let slope: Double
    /// The arrivals before it, not rounded.
    let before: Double
  }

  package init(count: Int, rate: Double, ramp: Duration = .zero) {
    self.count = count
    self.rate = rate
    self.ramp = ramp.inSeconds
    stages = []
  }

  /// Creates the timetable of clients that come by a rate of their own, until the storm ends.
  package init(_ arrivals: OpenArrivals) {
    var stages: [Stage] = []
    let expected = Self.walk(arrivals) { start, rate, slope, before in
      stages.append(Stage(start: start, rate: rate, slope: slope, before: before))
    }
    self.stages = stages
    // The first arrival is that of number 0, as soon as the rate is above 0.
    count = max(0, Int((min(expected, 1e12) - 1e-6).rounded(.up)))
    rate = arrivals.points.map(\.rate).max() ?? 0
    ramp = 0
  }

  /// Returns the expected number of arrivals, not rounded.
  static func expected(_ arrivals: OpenArrivals) -> Double { walk(arrivals) { _, _, _, _ in } }

  private static func walk(
    _ arrivals: OpenArrivals, _ stage: (_ start: Double, _ rate: Double, _ slope: Double, _ before: Double) -> Void
  ) -> Double {
    var before = 0.0
    for (index, point) in arrivals.points.enumerated() where point.at < arrivals.length {
      let next = index + 1 < arrivals.points.count ? arrivals.points[index + 1] : nil
      let slope = next.map { $0.at > point.at ? ($0.rate - point.rate) / ($0.at - point.at) : 0 } ?? 0
      let length = min(next?.at ?? arrivals.length, arrivals.length) - point.at
      guard length > 0 else { continue }
      stage(point.at, point.rate, slope, before)
      before += (point.rate + slope * length / 2) * length
    }
    return before
  }

  /// Returns the arrival of number `index` (from 0), counted from the start.
  package func arrival(of index: Int) -> Duration {
    // During the ramp, rate·t²/(2·ramp) clients have arrived by t; after it, rate·(t - ramp/2).
    let number = Double(index)
    if !stages.isEmpty { return .saturating(seconds: arrival(inStages: number)) }
    let inRamp = rate * ramp / 2
    let seconds = number < inRamp ? (2 * number * ramp / rate).squareRoot() : number / rate + ramp / 2
    return .saturating(seconds: seconds)
  }

  /// Returns the time at which that many have arrived, in seconds: a root in one stage.
  private func arrival(inStages number: Double) -> Double {
    var low = 0
    var high = stages.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if stages[middle].before <= number { low = middle } else { high = middle }
    }
    let stage = stages[low]
    let rest = number - stage.before
    guard rest > 0 else { return stage.start }
    let root = max(0, stage.rate * stage.rate + 2 * stage.slope * rest).squareRoot()
    return stage.start + 2 * rest / (stage.rate + root)
  }

  /// The arrival of the last client.
  package var duration: Duration {
    count == 0 ? .zero : arrival(of: count - 1)
  }

  /// Returns how many clients have arrived by then, whatever their outcome.
  package func arrivals(until elapsed: Duration) -> Int {
    guard elapsed >= .zero else { return 0 }
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if arrival(of: middle) <= elapsed { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
