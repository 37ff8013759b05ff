internal import GatewayCore

/// The work of a simulated token provider, whose queue is known.
package struct QueueFigures: Hashable, Sendable, Codable {
  /// The longest queue within each second, from up to four samples.
  package private(set) var lengths: [Int] = []
  /// The longest wait of a queued request at these samples, in milliseconds.
  package private(set) var ages: [Int] = []
  package private(set) var lengthPeak = 0
  /// Tokens that were made, and how many of them came after their caller had gone.
  package var made = 0
  package var madeForNobody = 0

  package init() {}

  package mutating func note(length: Int) { lengthPeak = max(lengthPeak, length) }

  package mutating func sample(length: Int, age: Int64, atSecond second: Int) {
    guard (0..<StormSeries.secondsMax).contains(second) else { return }
    while lengths.count <= second {
      lengths.append(0)
      ages.append(0)
    }
    lengths[second] = max(lengths[second], length)
    ages[second] = max(ages[second], Int(clamping: age / 1_000_000))
  }
}
