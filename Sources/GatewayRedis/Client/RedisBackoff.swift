internal import GatewayCore

/// The delays before the tries to connect again: twice as long each time, with a random part.
struct RedisBackoff {
  private static let first = 0.05
  private static let last = 2.0
  private var longest = first

  /// Returns the next delay.
  ///
  /// - Parameter share: A random number in 0..<1.
  mutating func next(_ share: Double) -> Duration {
    defer { longest = min(longest * 2, Self.last) }
    return .seconds(longest / 2 + longest / 2 * share)
  }
}
