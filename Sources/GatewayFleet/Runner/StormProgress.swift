/// The progress of a storm, or of one loop's part of it.
package struct StormProgress: Hashable, Sendable, Codable {
  /// The stage of a storm.
  package enum Stage: String, Hashable, Sendable, Codable, Comparable {
    case connecting
    case holding
    case refreshing
    case leaving

    package static func < (one: Stage, other: Stage) -> Bool { one.order < other.order }

    private var order: Int {
      switch self {
      case .connecting: 0
      case .holding: 1
      case .refreshing: 2
      case .leaving: 3
      }
    }
  }

  package var stage = Stage.connecting
  /// The time since the start, in seconds.
  package var seconds = 0.0
  package var started = 0
  package var connected = 0
  package var failed = 0
  package var asked = 0
  package var refreshed = 0
  package var lost = 0
  package var inFlight = 0
  package var settled = 0
  /// Clients that had all their refreshes and are in trouble with a further one; nil for none.
  package var refreshingAgain: Int?
  /// Completed attempts to log in, and how many failed.
  package var attempts = 0
  package var failures = 0
  /// Completed requests to the token provider, and how many brought no token. Requests that are meant to fail count in
  /// neither.
  package var calls = 0
  package var refusals = 0
  /// Failed requests that found no listener, and failed requests whose answer had no token in the expected place.
  package var unreachable = 0
  package var tokenless = 0
  /// Why the first failed request failed, in a sentence; nil while there is none.
  package var trouble: String?
  /// The number of scenario phases that have begun on every loop.
  package var phases = 0
  /// Whether a part of a storm is done and waits for the others.
  package var isThrough = false

  package init() {}

  package init(_ ledger: Ledger, started: Int) {
    self.started = started
    connected = ledger.connected
    failed = ledger.result.connects.failed.total
    asked = ledger.result.refreshes.asked
    refreshed = ledger.result.refreshes.accepted
    lost = ledger.result.disconnects.total
    inFlight = ledger.inFlight
    settled = ledger.settled
    if ledger.refreshingAgain > 0 { refreshingAgain = ledger.refreshingAgain }
    failures = failed + ledger.result.returns.refused.total + ledger.result.returns.failed.total
    attempts = ledger.result.connects.accepted + failures
    calls = ledger.calls
    refusals = ledger.refusals
    unreachable = ledger.result.provider.refused["unreachable"]
    tokenless = ledger.result.provider.refused["no_token"]
    trouble = ledger.trouble
  }

  /// Adds the counts of another part. Stage and time remain, and so does the first trouble.
  package mutating func add(_ other: StormProgress) {
    started += other.started
    connected += other.connected
    failed += other.failed
    asked += other.asked
    refreshed += other.refreshed
    lost += other.lost
    inFlight += other.inFlight
    settled += other.settled
    if let again = other.refreshingAgain { refreshingAgain = (refreshingAgain ?? 0) + again }
    attempts += other.attempts
    failures += other.failures
    calls += other.calls
    refusals += other.refusals
    unreachable += other.unreachable
    tokenless += other.tokenless
    trouble = trouble ?? other.trouble
  }
}
