internal import GatewayCore
internal import GatewayFleet

/// The outage that tips a fleet at rest, by calculation. The planner's search and its tests are held against it.
///
/// While the provider is away every client times out and asks again, and all of its requests stay in the queue. Once the
/// provider is back it works for callers that have gone, as long as the oldest request has waited longer than clients
/// wait. If the queue holds more than one timeout's work before that ends, it never does.
package struct OutageForm: Hashable, Sendable {
  /// First requests a second, tokens a second, and the length of the queue.
  private let asks: Double
  private let rate: Double
  private let queue: Double
  /// How long clients wait for an answer, and the mean of their waits before each further request, in seconds.
  private let timeout: Double
  private let waits: [Double]

  /// The steps of the calculation, in seconds.
  private static let step = 0.02
  private static let longest = 3600.0

  /// Creates the calculation; nil if the provider has no rate, drops abandoned requests, or does not serve in order.
  package init?(_ settings: WorldSettings) {
    guard let rate = settings.provider.rate, settings.provider.abandoned == .serve, settings.provider.order == .fifo,
      settings.provider.budgets.isEmpty
    else { return nil }
    self.rate = rate
    asks = settings.restingRate
    queue = Double(settings.provider.queue)
    timeout = settings.plan.fetchTimeout.inSeconds
    waits = (1...60).map { Self.meanWait(settings.plan.backoff, after: $0) }
  }

  private static func meanWait(_ backoff: Backoff, after tries: Int) -> Double {
    var doubled = backoff.base.inSeconds
    for _ in 0..<min(tries, 40) { doubled *= 2 }
    let most = min(backoff.cap.inSeconds, doubled)
    return switch backoff.kind {
    case .full: most / 2
    case .equal: most * 0.75
    case .exponential: most
    case .fixed: min(backoff.cap.inSeconds, backoff.base.inSeconds)
    }
  }

  /// The least outage that tips the fleet, in seconds; nil if none of up to an hour does.
  package var least: Double? {
    guard queue >= rate * timeout, tips(Self.longest) else { return nil }
    var (good, bad) = (0.0, Self.longest)
    while bad - good > Self.step {
      let middle = (good + bad) / 2
      if tips(middle) { bad = middle } else { good = middle }
    }
    return bad
  }

  /// Returns the number of requests by then.
  private func arrived(by time: Double) -> Double {
    var (sum, since) = (0.0, time)
    for wait in waits where since > 0 {
      sum += since
      since -= timeout + wait
    }
    return asks * sum
  }

  /// Returns whether an outage of that length tips the fleet.
  private func tips(_ outage: Double) -> Bool {
    guard outage > timeout else { return false }
    // The time of arrival of the oldest request in the queue. Requests arrive in order, so it only grows.
    var oldest = 0.0
    var now = outage
    while now < outage + Self.longest {
      let served = rate * (now - outage)
      while oldest < now, arrived(by: oldest) < served { oldest += Self.step }
      guard now - oldest > timeout else { return false }
      if arrived(by: now) - served >= rate * timeout { return true }
      now += Self.step * 5
    }
    return true
  }
}
