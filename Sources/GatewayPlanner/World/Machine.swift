internal import GatewayCore
internal import GatewayFleet

/// One client of a world and the gateway's side of its connection: both state machines, and the network's state of the
/// connection.
struct Machine {
  /// The state of one end of a connection.
  enum End: UInt8 {
    case none
    case open
    /// The close frame is sent.
    case closing
  }

  var client: ClientSession
  var session: Session
  var chance: SeededGenerator
  /// The next wake-up of each of the two.
  var clientDue = Int64.max
  var sessionDue = Int64.max
  /// The arrival times of the last packets under way to the gateway and to the client, since none overtakes another.
  var toGateway: Int64 = 0
  var toClient: Int64 = 0
  /// The number of the connection; events of earlier connections are ignored.
  var connection: UInt16 = 0
  var clientEnd = End.none
  var gatewayEnd = End.none
  /// Whether the ledger counts it as settled.
  var isSettled = false
  var isRefreshingAgain = false

  // A client has some 700 bytes. These methods are mutating so that none of them copies it.

  /// Returns whether the client waits for the answer to a request.
  mutating func isWaiting(forFetch number: UInt32) -> Bool { client.isWaiting(forFetch: number) }

  /// Updates ``isSettled`` and ``isRefreshingAgain``. Returns by how much the ledger's counts of the two change.
  mutating func count(waves: Int, awaitsAll: Bool) -> (settled: Int, refreshingAgain: Int) {
    let settled = client.isSettled(waves: waves, awaitsAll: awaitsAll)
    let again = !settled && !awaitsAll && client.isAtFurtherRefresh(waves: waves)
    defer { (isSettled, isRefreshingAgain) = (settled, again) }
    return (
      settled == isSettled ? 0 : settled ? 1 : -1, again == isRefreshingAgain ? 0 : again ? 1 : -1
    )
  }

  /// Returns the client's next deadline if it is earlier than the wake-up that is set, and takes it for set. A later one
  /// is left alone: an early wake-up changes nothing.
  mutating func takeEarlierDeadline() -> Int64? {
    guard let due = client.nextDeadline?.nanoseconds, due < clientDue else { return nil }
    clientDue = due
    return due
  }
}
