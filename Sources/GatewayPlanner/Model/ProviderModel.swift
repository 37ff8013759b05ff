package import GatewayCore
internal import GatewayFleet

/// A token provider in numbers, e.g. 500 tokens a second with a queue of 4,000.
package struct ProviderModel: Hashable, Sendable {
  /// The capacity of a provider.
  package enum Capacity: Hashable, Sendable {
    /// A number of tokens a second, one after the other.
    case rate(Double)
    /// A number of tokens at once, each with a latency drawn evenly from the range.
    case places(Int, latency: ClosedRange<Duration>)
    /// Any number at once, without latency.
    case unbounded
  }

  /// The treatment of a request whose caller has gone.
  package enum Abandoned: String, Hashable, Sendable, CaseIterable {
    /// The request is served like any other.
    case serve
    /// The request is dropped at its turn, and the next one is served at once.
    case drop
  }

  /// The order in which queued requests are served.
  package enum Order: String, Hashable, Sendable, CaseIterable {
    /// The oldest request is served first.
    case fifo
    /// The latest request is served first.
    case lifo
    /// The oldest first up to half a queue, then the latest.
    case adaptive
  }

  /// The `Retry-After` of its refusals.
  package enum Advice: Hashable, Sendable {
    /// The time until a full queue is empty, 1 to 60 s, as in the built-in provider.
    case queue
    case none
    /// A time drawn evenly from the range.
    case between(ClosedRange<Duration>)
  }

  /// A time in which the provider serves no request, counted from the start.
  package struct Pause: Hashable, Sendable {
    package var at: Duration
    package var length: Duration
    /// Whether it refuses requests with 503 during the pause; otherwise they wait.
    package var refuses: Bool

    package init(at: Duration, length: Duration, refuses: Bool = false) {
      self.at = at
      self.length = length
      self.refuses = refuses
    }
  }

  /// The recovery of a provider after a pause, while its caches are cold.
  package struct WarmUp: Hashable, Sendable {
    /// The initial share of its capacity; it grows linearly.
    package var from: Double
    package var length: Duration

    package init(from: Double, length: Duration) {
      self.from = from
      self.length = length
    }
  }

  package var capacity: Capacity
  /// The maximum number of queued requests; further ones are refused.
  package var queue: Int
  package var abandoned = Abandoned.serve
  package var order = Order.fifo
  /// The share of requests that fail at the end of their turn.
  package var failures = 0.0
  package var pauses: [Pause] = []
  package var warmUp: WarmUp?
  /// The limits on requests by user, address and all, and how long a refusal by one takes.
  package var budgets: [RequestBudget] = []
  package var refusalTime = Duration.zero
  /// The rotation of refresh tokens; nil if every request is a login.
  package var rotation: RotationPolicy?
  package var advice = Advice.queue
  /// The share of tokens whose answers are lost after they were made.
  package var repliesLost = 0.0

  package init(_ capacity: Capacity = .unbounded, queue: Int = 100_000) {
    self.capacity = capacity
    self.queue = queue
  }

  /// The maximum number of tokens a second; nil for no limit.
  package var rate: Double? {
    switch capacity {
    case .rate(let rate): return rate
    case .places(let places, let latency):
      let mean = (latency.lowerBound.inSeconds + latency.upperBound.inSeconds) / 2
      return mean > 0 ? Double(places) / mean : nil
    case .unbounded: return nil
    }
  }

  /// Returns the same provider with another rate: by more or fewer places, if it has places.
  package func scaled(toRate wanted: Double) -> ProviderModel {
    var scaled = self
    switch capacity {
    case .rate, .unbounded: scaled.capacity = .rate(wanted)
    case .places(_, let latency):
      let mean = (latency.lowerBound.inSeconds + latency.upperBound.inSeconds) / 2
      let places = (wanted * mean).rounded()
      // A few places cannot follow a rate exactly, so they become one place with that rate.
      scaled.capacity =
        places >= Self.placesFollowing && places < 1e9 ? .places(Int(places), latency: latency) : .rate(wanted)
    }
    return scaled
  }

  private static let placesFollowing = 20.0

  /// The longest time for a token, with all of its capacity.
  var longestTurn: Duration {
    switch capacity {
    case .rate(let rate): .saturating(seconds: 1 / max(rate, 1e-9))
    case .places(_, let latency): latency.upperBound
    case .unbounded: .zero
    }
  }

  /// The number of requests that are served at once.
  var places: Int {
    switch capacity {
    case .rate: 1
    case .places(let places, _): places
    case .unbounded: .max
    }
  }

  /// Returns the time for a token, in nanoseconds, with that share of the capacity.
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

  /// Returns the `Retry-After` of its next refusal; nil for none.
  func retryAfter(_ chance: inout SeededGenerator) -> Duration? {
    switch advice {
    case .queue: return untilQueueIsEmpty
    case .none: return nil
    case .between(let range):
      let (least, most) = (range.lowerBound, range.upperBound)
      return least < most ? least + (most - least).scaled(by: chance.nextShare()) : least
    }
  }

  private var untilQueueIsEmpty: Duration {
    guard let rate else { return .seconds(1) }
    return .seconds(Int64(min(60, max(1, (Double(queue) / rate).rounded(.up)))))
  }

  /// The wait of the last request of a full queue; nil if no request ever waits.
  package var longestWait: Duration? {
    rate.map { .nanoseconds(Int64(min(Double(queue) / $0, 1e9) * 1e9)) }
  }
}
