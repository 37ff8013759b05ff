import GatewayFleet

/// Round numbers for the axes of charts, e.g. steps of 200 up to 812.
enum ChartScale {
  /// Returns the smallest of 1, 2, 5, 10, 20, 50 … that makes at most about five steps up to `value`.
  static func tick(for value: Int) -> Int {
    var tick = 1
    while true {
      for factor in [1, 2, 5] where tick * factor * 5 >= value { return tick * factor }
      guard tick < Int.max / 100 else { return tick }
      tick *= 10
    }
  }

  /// Returns the top of an axis that has room for `value`, at least 1.
  static func top(for value: Int) -> Int {
    let tick = tick(for: max(1, value))
    return max(1, (value + tick - 1) / tick * tick)
  }

  /// Returns the values at which an axis up to `top` has its lines, including 0.
  static func ticks(to top: Int) -> [Int] {
    Array(stride(from: 0, through: top, by: tick(for: top)))
  }

  /// Returns the seconds between two labels of a time axis with about ten labels.
  static func step(for seconds: Double) -> Double {
    let steps = [
      0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400,
    ]
    return steps.first { $0 * 10 >= seconds } ?? 28_800
  }
}
