/// The progress of a storm, or of one loop's part of it: still connecting, 812 of 1,000, for instance.
package struct StormProgress: Hashable, Sendable, Codable {
  /// The stage of a storm: all are connected and hold, for instance.
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
  /// Since the start, in seconds.
  package var seconds = 0.0
  package var started = 0
  package var connected = 0
  package var failed = 0
  package var asked = 0
  package var refreshed = 0
  package var lost = 0
  package var inFlight = 0
  package var settled = 0
  /// Clients that were refreshed as often as they are to be, and are in trouble with a further refresh; nil for none.
  package var refreshingAgain: Int?
  /// Attempts to log in that are over, and those of them that came to nothing.
  package var attempts = 0
  package var failures = 0
  /// Calls of the token provider that are over, and those of them that brought nothing. Those that a behaviour wants
  /// refused are in neither.
  package var calls = 0
  package var refusals = 0
  /// Those of them that found nobody listening, and those whose answer had no token where one is looked for.
  package var unreachable = 0
  package var tokenless = 0
  /// Why the first call that brought nothing did, in a sentence; nil while there is none.
  package var trouble: String?
  /// How many phases of the scenario have begun on every loop.
  package var phases = 0
  /// Whether a part of a storm has nothing more to do and waits for the others.
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

  /// Adds the counts of another part; stage and time stay, and the trouble that was there first.
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
