internal import GatewayCore

/// The work of a token provider in a world that knows it from inside: how many waited in each second, for instance.
package struct QueueFigures: Hashable, Sendable, Codable {
  /// The most requests that waited within each second, as far as looked at four times.
  package private(set) var lengths: [Int] = []
  /// How long the one that had waited longest had then, in milliseconds.
  package private(set) var ages: [Int] = []
  package private(set) var lengthPeak = 0
  /// Tokens that were made, and those of them whose caller had gone.
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
