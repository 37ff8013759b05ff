internal import GatewayCore

/// Durations as people write them: a number and a unit, e.g. `500ms`, `60s`, `1.5m`, `24h`, `30d`.
package enum DurationText {
  private static let unitsSeconds: [(suffix: String, seconds: Double)] = [
    ("ms", 0.001), ("us", 0.000_001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86400),
  ]

  /// Returns the duration; nil unless it is a number of at least 0 with a unit, and at most 1,000 years.
  package static func parse(_ text: String) -> Duration? {
    if text == "0" { return .zero }
    for unit in unitsSeconds where text.hasSuffix(unit.suffix) {
      guard let number = Double(text.dropLast(unit.suffix.count)) else { continue }
      let seconds = number * unit.seconds
      guard seconds.isFinite, (0...31_557_600_000).contains(seconds) else { return nil }
      return .saturating(seconds: min(seconds, 9e9))
    }
    return nil
  }
}

/// The text form of shares: `0.1` or `10%`.
package enum Share {
  /// Returns the share in 0...1; nil for anything else.
  package static func parse(_ text: String) -> Double? {
    let share = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
    guard let share, (0...1).contains(share) else { return nil }
    return share
  }
}
