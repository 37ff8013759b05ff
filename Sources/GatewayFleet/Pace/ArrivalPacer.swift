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

  package init(count: Int, rate: Double, ramp: Duration = .zero) {
    self.count = count
    self.rate = rate
    self.ramp = ramp.inSeconds
  }

  /// Returns the arrival of number `index` (from 0), counted from the start.
  package func arrival(of index: Int) -> Duration {
    // During the ramp, rate·t²/(2·ramp) clients have arrived by t; after it, rate·(t - ramp/2).
    let number = Double(index)
    let inRamp = rate * ramp / 2
    let seconds = number < inRamp ? (2 * number * ramp / rate).squareRoot() : number / rate + ramp / 2
    return .saturating(seconds: seconds)
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
