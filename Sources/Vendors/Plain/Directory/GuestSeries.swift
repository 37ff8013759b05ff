internal import GatewayCore

/// The names of guests that one process makes, one after the other: all begin with a prefix of its own, `guest-4f2k9x1b`
/// for instance.
struct GuestSeries {
  private var generator: SeededGenerator
  /// Nil until the process has one for itself.
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
