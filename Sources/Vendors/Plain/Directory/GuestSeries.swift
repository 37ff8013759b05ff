internal import GatewayCore

/// A generator of one process's guest names.
struct GuestSeries {
  private var generator: SeededGenerator
  /// Nil until the process has reserved one.
  var prefix: String?
  private var count: UInt64 = 0

  init(generator: SeededGenerator) {
    self.generator = generator
  }

  mutating func makePrefix() -> String {
    "guest-" + String(generator.next() >> 24, radix: 36)
  }

  mutating func next() -> String? {
    guard let prefix else { return nil }
    count += 1
    return "\(prefix)-\(count)"
  }
}
