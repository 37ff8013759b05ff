internal import GatewayCore

/// A token provider in numbers: 500 tokens a second, of which 4,000 may wait, for instance.
package struct ProviderModel: Hashable, Sendable {
  /// The capacity of a provider: ten tokens a second, one after the other, for instance.
  package enum Capacity: Hashable, Sendable {
    /// So many tokens a second, one after the other.
    case rate(Double)
    /// So many at once, each of which takes so long; drawn evenly from the range.
    case places(Int, latency: ClosedRange<Duration>)
    /// Any number at once, at once.
    case unbounded
  }

  /// The lot of a request whose caller has gone: its turn is used up like any other's, for instance.
  package enum Abandoned: String, Hashable, Sendable, CaseIterable {
    /// Its turn is used up like any other's.
    case serve
    /// It is dropped when its turn comes, and the next one's comes at once.
    case drop
  }

  /// The order in which those who wait are served: who came last first, for instance.
  package enum Order: String, Hashable, Sendable, CaseIterable {
    /// Who came first is served first.
    case fifo
    /// Who came last is.
    case lifo
  }

  /// A time in which the provider serves nobody, counted from the start: thirty seconds from 60 s on, for instance.
  package struct Pause: Hashable, Sendable {
    package var at: Duration
    package var length: Duration
    /// Whether it refuses meanwhile, with 503; else requests wait.
    package var refuses: Bool

    package init(at: Duration, length: Duration, refuses: Bool = false) {
      self.at = at
      self.length = length
      self.refuses = refuses
    }
  }

  /// The way in which a provider gets going after a pause, when caches are cold: from a tenth of its capacity to all of
  /// it in 20 s, for instance.
  package struct WarmUp: Hashable, Sendable {
    /// The share of its capacity that it has at first; it grows in a straight line.
    package var from: Double
    package var length: Duration

    package init(from: Double, length: Duration) {
      self.from = from
      self.length = length
    }
  }

  package var capacity: Capacity
  /// How many requests may wait; one more is refused.
  package var queue: Int
  package var abandoned = Abandoned.serve
  package var order = Order.fifo
  /// The share of requests that fail when their turn is over.
  package var failures = 0.0
  package var pauses: [Pause] = []
  package var warmUp: WarmUp?

  package init(_ capacity: Capacity = .unbounded, queue: Int = 100_000) {
    self.capacity = capacity
    self.queue = queue
  }

  /// How many tokens a second it makes at the most; nil for any number.
  package var rate: Double? {
    switch capacity {
    case .rate(let rate): return rate
    case .places(let places, let latency):
      let mean = (latency.lowerBound.inSeconds + latency.upperBound.inSeconds) / 2
      return mean > 0 ? Double(places) / mean : nil
    case .unbounded: return nil
    }
  }

  /// The same with another rate: as many times the places, where it has places.
  package func scaled(toRate wanted: Double) -> ProviderModel {
    var scaled = self
    switch capacity {
    case .rate, .unbounded: scaled.capacity = .rate(wanted)
    case .places(_, let latency):
      let mean = (latency.lowerBound.inSeconds + latency.upperBound.inSeconds) / 2
      let places = (wanted * mean).rounded()
      // Fewer than a few places cannot follow a rate: the same rate one after the other can.
      scaled.capacity =
        places >= Self.placesFollowing && places < 1e9 ? .places(Int(places), latency: latency) : .rate(wanted)
    }
    return scaled
  }

  private static let placesFollowing = 20.0

  /// How many are served at once.
  var places: Int {
    switch capacity {
    case .rate: 1
    case .places(let places, _): places
    case .unbounded: .max
    }
  }

  /// How long a token takes, in nanoseconds, with that share of the capacity.
  func duration(share: Double, _ chance: inout SeededGenerator) -> Int64 {
    let whole: Double
    switch capacity {
    case .rate(let rate): whole = 1e9 / rate
    case .places(_, let latency):
      let (least, most) = (Double(latency.lowerBound.nanoseconds), Double(latency.upperBound.nanoseconds))
      whole = least < most ? least + (most - least) * chance.nextShare() : least
    case .unbounded: return 0
    }
    return Int64(min(whole / max(share, 1e-6), 1e15))
  }

  /// What it says of when to come back: the time that a full queue takes to empty, 1 to 60 s, as the built-in one does.
  var retryAfter: Duration {
    guard let rate else { return .seconds(1) }
    return .seconds(Int64(min(60, max(1, (Double(queue) / rate).rounded(.up)))))
  }

  /// How long the last of a full queue waits; nil if nobody ever does.
  package var longestWait: Duration? {
    rate.map { .nanoseconds(Int64(min(Double(queue) / $0, 1e9) * 1e9)) }
  }
}
