internal import GatewayCore

/// A token provider that is the bottleneck: it mints a fixed number of tokens a second, and other requests wait.
struct MintRate: ProviderDelay {
  static let word = "mint_rate"
  static let summary = "limits the token provider to a number of tokens per second, one after the other"
  static let members = ["per_s"]
  static let example = #"{"fault": "mint_rate", "per_s": 10}"#

  private let queue: Queue
  private static let delayMax = Duration.seconds(600)

  /// The time of the next turn, shared by all waiting requests.
  ///
  /// `@unchecked Sendable`: used only on the gateway's loop.
  private final class Queue: @unchecked Sendable {
    let pace: Duration
    var next = Instant.zero

    init(pace: Duration) {
      self.pace = pace
    }
  }

  init(_ fields: FaultFields) throws(GatewayError) {
    guard let rate = try fields.number("per_s", in: 0.001...1_000_000) else { throw fields.missing("per_s") }
    queue = Queue(pace: .saturating(seconds: 1 / rate))
  }

  func delay(at now: Instant) -> Duration? {
    let turn = max(now, queue.next)
    // A request that would wait too long takes no turn.
    guard turn - now <= Self.delayMax else { return nil }
    queue.next = turn + queue.pace
    return turn - now
  }
}
