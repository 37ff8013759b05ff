internal import GatewayCore

/// Clients that come by a rate of their own and leave again, whatever the gateway does.
package struct OpenArrivals: Hashable, Sendable, Codable {
  /// A time in seconds from the start, and the rate at it in clients a second. Between two points the rate is linear;
  /// after the last it stays.
  package struct Point: Hashable, Sendable, Codable {
    package var at: Double
    package var rate: Double

    package init(at: Double, rate: Double) {
      self.at = at
      self.rate = rate
    }
  }

  /// In the order of their times; two of one time are a step.
  package var points: [Point]
  /// How long clients stay; nil for to the end.
  package var stays: Stays?
  /// When the storm ends, in seconds from the start.
  package var length: Double

  package init(points: [Point], stays: Stays? = nil, length: Double) {
    self.points = points
    self.stays = stays
    self.length = length
  }

  /// The maximum number of points, and of steps of a distribution.
  package static let pointsMax = 1_000

  /// How long a client stays after its first login, in seconds.
  package enum Stays: Hashable, Sendable, Codable {
    case fixed(seconds: Double)
    case exponential(mean: Double)
    /// By share: a client of a step stays for any time between the step before and this one, with equal probability.
    case steps(by: [ShareUpTo])

    /// Returns a length.
    func length(_ chance: inout SeededGenerator) -> Double {
      switch self {
      case .fixed(let seconds): return seconds
      case .exponential(let mean): return mean * Self.exponential(&chance)
      case .steps(let steps):
        let index = ShareUpTo.index(of: chance.nextShare(), in: steps)
        let least = index == 0 ? 0 : steps[index - 1].seconds
        return least + (steps[index].seconds - least) * chance.nextShare()
      }
    }

    /// Returns a number of the exponential distribution with mean 1, by comparisons alone, so that it is the same on every
    /// machine: von Neumann, "Various techniques used in connection with random digits", 1951.
    private static func exponential(_ chance: inout SeededGenerator) -> Double {
      for whole in 0..<longest {
        let first = chance.nextShare()
        var last = first
        var count = 1
        while true {
          let next = chance.nextShare()
          count += 1
          if next > last { break }
          last = next
        }
        if count % 2 == 0 { return Double(whole) + first }
      }
      return Double(longest)
    }

    /// The maximum, in means: only one of 10^17 would stay longer.
    private static let longest = 40
  }
}

/// A length in seconds, and the share of clients to which it applies.
package struct ShareUpTo: Hashable, Sendable, Codable {
  package var seconds: Double
  package var share: Double

  package init(seconds: Double, share: Double) {
    self.seconds = seconds
    self.share = share
  }

  /// Returns the step of at least one to which a share of chance, 0...1, belongs.
  static func index(of share: Double, in steps: [ShareUpTo]) -> Int {
    let total = steps.reduce(0) { $0 + $1.share }
    var sum = 0.0
    for (index, step) in steps.enumerated() {
      sum += step.share
      if share * total < sum { return index }
    }
    return steps.count - 1
  }
}
