/// How far a storm, or one loop's part of it, is.
package struct StormProgress: Hashable, Sendable, Codable {
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
  }

  /// Adds the counts of another part; stage and time stay.
  package mutating func add(_ other: StormProgress) {
    started += other.started
    connected += other.connected
    failed += other.failed
    asked += other.asked
    refreshed += other.refreshed
    lost += other.lost
    inFlight += other.inFlight
    settled += other.settled
  }
}
