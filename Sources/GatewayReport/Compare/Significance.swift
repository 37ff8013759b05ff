internal import GatewayCore
internal import GatewayFleet
internal import Glibc

/// The differences between two runs of one storm that chance alone causes.
enum Significance {
  /// In standard deviations. A comparison has forty figures: with two deviations, about one of them would exceed the
  /// limit in each comparison.
  private static let deviations = 3.0
  /// The minimum count that is no chance if the baseline has 0. With equal odds, all five fall to one side in one of 32
  /// runs.
  private static let firstFew = 5.0
  /// The part of a fleet that a provider's batches may decide, if some clients are lost anyway.
  private static let batch = 0.005
  /// The difference between two runs on a machine with other work, in seconds: the gateway may stand still that long while the
  /// storm, which measures only its own pauses, does not.
  static let timeFloor = 0.2
  /// The same for a time that the user requested.
  static let askedTimeFloor = 0.01
  /// The longest pause that counts as a busy machine's, in seconds. A longer one is a process's own.
  static let machinePauseMax = 0.25
  /// The CPU time that a machine's other work adds to a whole storm, in seconds.
  static let cpuFloor = 0.05
  /// The memory that an allocator's pages and a process's own growth add, in bytes.
  static let memoryFloor = 4_194_304.0
  /// The two seconds in which a crossing was counted.
  static let crossingFloor = 2.0

  /// Returns whether a count is beyond chance: more than three standard deviations of a difference of two Poisson
  /// counts, √(a + b), and more than 0.5 % of the fleet.
  static func isBeyondChance(_ value: Double, over base: Double, fleet: Double) -> Bool {
    guard base > 0 else { return value >= firstFew }
    return value - base > max(deviations * (base + value).squareRoot(), fleet * batch)
  }

  /// Returns the same for a number of requests per unit.
  static func isBeyondChance(ratio value: Double, of count: Double, over base: Double, of baseCount: Double) -> Bool {
    guard count > 0, baseCount > 0 else { return false }
    return value - base > deviations * (max(0, base) / baseCount + max(0, value) / count).squareRoot()
  }

  /// Returns the range of a quantile by the order statistics: the durations at three standard deviations of its rank
  /// below and above. Nil if nothing was recorded.
  static func range(_ share: Double, of histogram: LatencyHistogram) -> ClosedRange<Double>? {
    let count = Double(histogram.count)
    guard count >= 1 else { return nil }
    let spread = deviations * (count * share * (1 - share)).squareRoot()
    func duration(_ rank: Double) -> Double? {
      histogram.duration(ofRank: UInt64(min(max(1, rank), count)))?.inSeconds
    }
    guard let low = duration((count * share - spread).rounded(.down)),
      let high = duration((count * share + spread).rounded(.up)),
      low <= high
    else { return nil }
    return low...high
  }

  /// The number of baselines from which on a single unusual one no longer widens the tolerance.
  static let manyRuns = 5

  /// Returns the middle of several runs, and the maximum distance of a further run from it with a probability of 99.5 %.
  /// Nil for a single run.
  ///
  /// For fewer than ``manyRuns`` it uses their mean and Student's distribution with their deviation. For more it uses
  /// their median and the median of the distances from it, which one unusual run does not change.
  static func reach(of values: [Double]) -> (middle: Double, reach: Double)? {
    guard values.count > 1 else { return nil }
    guard values.count < manyRuns else {
      let middle = median(values)
      let distance = median(values.map { abs($0 - middle) })
      return (middle, distances[min(values.count - manyRuns, distances.count - 1)] * normal * distance)
    }
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
    let factor = students[min(values.count - 2, students.count - 1)]
    return (mean, factor * (variance * (1 + 1 / count)).squareRoot())
  }

  /// Returns the median of at least one value.
  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let half = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
  }

  /// One-sided 99.5 %, by degrees of freedom from 1 on.
  private static let students = [63.66, 9.925, 5.841]
  /// The median distance of a normal distribution is its deviation divided by this.
  private static let normal = 1.4826
  /// One-sided 99.5 % of (a further value - median) / (1.4826 × median distance), by the number of values from 5 on: the
  /// 99.5th percentile of at least 60,000 draws from a normal distribution each. It comes to 3.5 at twenty values. Fewer
  /// say less about their own scatter: 3.5 beside five would call 6 % of further runs worse.
  private static let distances = [
    14.05, 8.17, 7.86, 5.88, 5.81, 4.97, 4.97, 4.38, 4.27, 4.08, 4.02, 3.84, 3.74, 3.66, 3.59, 3.52,
  ]
}
