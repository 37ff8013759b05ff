internal import GatewayCore

/// A timetable of arrivals: with 500 a second client 1,000 begins to connect after 2 s, for instance. The pace is the
/// plan's alone: it never waits for a slow gateway, which would hide the very slowness that is to be measured
/// (coordinated omission).
package struct ArrivalPacer: Hashable, Sendable {
  /// How many arrive.
  package let count: Int
  /// Arrivals per second once the ramp is over.
  package let rate: Double
  /// How long the rate rises in a straight line from 0, in seconds.
  private let ramp: Double

  package init(count: Int, rate: Double, ramp: Duration = .zero) {
    self.count = count
    self.rate = rate
    self.ramp = ramp.inSeconds
  }

  /// When number `index` (from 0) arrives, counted from the start.
  package func arrival(of index: Int) -> Duration {
    // Under the ramp the arrivals until t are rate·t²/(2·ramp), after it rate·(t - ramp/2).
    let number = Double(index)
    let inRamp = rate * ramp / 2
    let seconds = number < inRamp ? (2 * number * ramp / rate).squareRoot() : number / rate + ramp / 2
    return .saturating(seconds: seconds)
  }

  /// When the last one arrives.
  package var duration: Duration {
    count == 0 ? .zero : arrival(of: count - 1)
  }

  /// How many have arrived by then, whatever has become of them.
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
