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
}
