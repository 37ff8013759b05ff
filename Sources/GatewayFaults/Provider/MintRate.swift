package import GatewayCore

/// A token provider that is itself the bottleneck: it makes ten tokens a second, for instance, and the rest wait for
/// their turn.
package struct MintRate: ProviderDelay {
  package static let word = "mint_rate"
  package static let summary = "lets the token provider make so many tokens a second, one after the other"
  package static let members = ["per_s"]
  package static let example = #"{"fault": "mint_rate", "per_s": 10}"#

  private let queue: Queue
  private static let delayMax = Duration.seconds(600)

  /// When the next turn is; shared by all who wait for one.
  ///
  /// `@unchecked Sendable`: touched only on the gateway's loop.
  private final class Queue: @unchecked Sendable {
    let pace: Duration
    var next = Instant.zero

    init(pace: Duration) {
      self.pace = pace
    }
  }

  package init(_ fields: FaultFields) throws(GatewayError) {
    guard let rate = try fields.number("per_s", in: 0.001...1_000_000) else { throw fields.missing("per_s") }
    queue = Queue(pace: .saturating(seconds: 1 / rate))
  }

  package func delay(at now: Instant) -> Duration? {
    let turn = max(now, queue.next)
    // Whoever would wait too long takes no turn.
    guard turn - now <= Self.delayMax else { return nil }
    queue.next = turn + queue.pace
    return turn - now
  }
}
