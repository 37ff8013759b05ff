internal import GatewayCore

/// The troubles with webhooks that have been logged, so that no cause fills the log.
struct WebhookTroubles: Sendable {
  enum Cause: Hashable, Sendable { case failed, dropped }

  private struct Kind: Hashable {
    let cause: Cause
    let vendor: Name
  }

  private var told: [Kind: (at: Instant, untold: UInt64)] = [:]
  private var hosts: Set<Name> = []

  private static let pause = Duration.seconds(60)
  private static let hostsMax = 1_000

  /// Notes `number` webhooks that a cause has affected. Returns the number to log; nil within a minute of the last line.
  mutating func tells(_ cause: Cause, _ vendor: String, _ number: UInt64, at now: Instant) -> UInt64? {
    let kind = Kind(cause: cause, vendor: Name(vendor))
    if let last = told[kind], now - last.at < Self.pause {
      told[kind]?.untold += number
      return nil
    }
    let count = (told[kind]?.untold ?? 0) + number
    told[kind] = (now, 0)
    return count
  }

  /// Returns whether the host has not been logged yet.
  mutating func tellsOfHost(_ host: String) -> Bool {
    guard hosts.count < Self.hostsMax else { return false }
    return hosts.insert(Name(host)).inserted
  }
}
