internal import GatewayCore

/// A histogram of durations, with 32 buckets for each doubling. A percentile is at most 3.2 % too high, and the size is
/// 9 KB whatever is recorded. Two histograms merge exactly.
///
/// The layout is that of HdrHistogram and of Prometheus' native histograms (log-linear), in microseconds. The gateway's
/// own histogram has different buckets: it counts at the bounds of its metrics page.
package struct LatencyHistogram: Hashable, Sendable {
  /// The longest duration that has a bucket of its own: 2^36 microseconds, 19 hours.
  package static let longest = Duration.microseconds(1 << 36)

  private static let subBits = 5
  private static let subCount = 1 << subBits
  private static let bucketCount = (36 - subBits + 1) * subCount

  /// The limit of a decoded sum, in microseconds: 570 years, of which a thousand can be added.
  private static let sumMax: UInt64 = 1 << 54

  private var counts: [UInt64]
  /// The number of recorded durations.
  package private(set) var count: UInt64 = 0
  /// The sum of all durations, in microseconds.
  private var sum: UInt64 = 0
  private var smallest = UInt64.max
  private var largest: UInt64 = 0

  package init() {
    counts = Array(repeating: 0, count: Self.bucketCount)
  }

  /// Counts one duration; a negative one counts as 0.
  package mutating func record(_ duration: Duration) {
    let microseconds = UInt64(max(0, duration.nanoseconds / 1000))
    counts[Self.bucket(of: microseconds)] += 1
    count += 1
    sum += microseconds
    smallest = min(smallest, microseconds)
    largest = max(largest, microseconds)
  }

  /// Adds all durations of `other`.
  package mutating func merge(_ other: LatencyHistogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    count += other.count
    sum += other.sum
    smallest = min(smallest, other.smallest)
    largest = max(largest, other.largest)
  }

  /// Returns the sum of both histograms.
  func merged(_ other: LatencyHistogram) -> LatencyHistogram {
    var sum = self
    sum.merge(other)
    return sum
  }

  /// Returns the durations counted since `earlier`, an earlier state of this histogram. The minimum and the maximum are
  /// exact only to the width of a bucket.
  func since(_ earlier: LatencyHistogram) -> LatencyHistogram {
    guard earlier.count > 0 else { return self }
    var part = LatencyHistogram()
    for index in counts.indices where counts[index] > earlier.counts[index] {
      part.counts[index] = counts[index] - earlier.counts[index]
      part.count += part.counts[index]
      part.smallest = min(part.smallest, max(smallest, Self.bounds(of: index).lowerBound))
      part.largest = min(largest, Self.bounds(of: index).upperBound)
    }
    part.sum = sum > earlier.sum ? sum - earlier.sum : 0
    return part
  }

  /// Returns the duration that `share` (0...1) of all do not exceed, up to the width of a bucket; nil if nothing was
  /// recorded.
  package func quantile(_ share: Double) -> Duration? {
    guard count > 0 else { return nil }
    let rank = max(1, UInt64((Double(count) * share).rounded(.up)))
    return duration(ofRank: rank)
  }

  /// Returns the `rank`-th shortest duration (from 1); nil if fewer were recorded.
  package func duration(ofRank rank: UInt64) -> Duration? {
    guard rank >= 1, rank <= count else { return nil }
    var seen: UInt64 = 0
    for (index, inBucket) in counts.enumerated() {
      seen += inBucket
      if seen >= rank {
        return .microseconds(Int64(min(Self.bounds(of: index).upperBound, largest)))
      }
    }
    return maximum
  }

  package var minimum: Duration? { count == 0 ? nil : .microseconds(Int64(smallest)) }
  package var maximum: Duration? { count == 0 ? nil : .microseconds(Int64(largest)) }
  package var mean: Duration? { count == 0 ? nil : .microseconds(Int64(sum / count)) }

  /// The sum of all durations, in seconds.
  package var sumSeconds: Double { Double(sum) / 1e6 }

  /// Returns for each bound how many durations do not exceed it, in the order of the bounds. A duration less than 3.2 %
  /// below a bound may count as longer.
  ///
  /// - Parameter bounds: Ascending bounds in seconds.
  package func counts(upTo bounds: [Double]) -> [UInt64] {
    var counted: UInt64 = 0
    var index = 0
    return bounds.map { bound in
      while index < Self.bucketCount, Double(Self.bounds(of: index).upperBound) <= bound * 1e6 {
        counted += counts[index]
        index += 1
      }
      return counted
    }
  }

  /// The non-empty buckets in order: the longest duration of each, and its count.
  package var buckets: [(upTo: Duration, count: UInt64)] {
    counts.enumerated().compactMap { index, count in
      count == 0 ? nil : (.microseconds(Int64(Self.bounds(of: index).upperBound)), count)
    }
  }

  static func bucket(of microseconds: UInt64) -> Int {
    guard microseconds >= UInt64(subCount) else { return Int(microseconds) }
    let octave = 63 - microseconds.leadingZeroBitCount - subBits
    let index = (octave + 1) * subCount + Int(microseconds >> UInt64(octave)) - subCount
    return min(index, bucketCount - 1)
  }

  static func bounds(of bucket: Int) -> ClosedRange<UInt64> {
    guard bucket >= subCount else { return UInt64(bucket)...UInt64(bucket) }
    let octave = UInt64(bucket / subCount - 1)
    let low = UInt64(bucket % subCount + subCount) << octave
    return low...(low + (1 << octave) - 1)
  }
}

extension LatencyHistogram: Codable {
  private enum CodingKeys: String, CodingKey {
    case buckets, sumUs, minUs, maxUs
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    for pair in try container.decode([[UInt64]].self, forKey: .buckets) {
      guard pair.count == 2, pair[0] < UInt64(Self.bucketCount), pair[1] <= UInt64(StormSeries.numberMax) else {
        throw DecodingError.dataCorruptedError(
          forKey: .buckets, in: container, debugDescription: "not a pair of a bucket's number and a count")
      }
      let bucket = Int(pair[0])
      counts[bucket] = min(counts[bucket] + pair[1], UInt64(StormSeries.numberMax))
    }
    count = counts.reduce(0, +)
    sum = min(try container.decode(UInt64.self, forKey: .sumUs), Self.sumMax)
    let least = try container.decodeIfPresent(UInt64.self, forKey: .minUs) ?? 0
    smallest = count == 0 ? .max : min(least, Self.sumMax)
    largest = min(try container.decode(UInt64.self, forKey: .maxUs), Self.sumMax)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let filled = counts.enumerated().filter { $0.element > 0 }.map { [UInt64($0.offset), $0.element] }
    try container.encode(filled, forKey: .buckets)
    try container.encode(sum, forKey: .sumUs)
    if count > 0 { try container.encode(smallest, forKey: .minUs) }
    try container.encode(largest, forKey: .maxUs)
  }
}
