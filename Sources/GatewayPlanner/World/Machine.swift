internal import GatewayCore
internal import GatewayFleet

/// One client of a world and the gateway's side of its connection: both machines as they run anywhere, and what a
/// network would know of them; that the client's close frame is sent, for instance.
struct Machine {
  /// An end of a connection: the gateway's, for instance.
  enum End: UInt8 {
    case none
    case open
    /// The close frame is sent.
    case closing
  }

  var client: ClientSession
  var session: Session
  var chance: SeededGenerator
  /// When each of the two is woken next.
  var clientDue = Int64.max
  var sessionDue = Int64.max
  /// When the last packet arrives that is on its way to the gateway, and to the client: none overtakes another.
  var toGateway: Int64 = 0
  var toClient: Int64 = 0
  /// The number of the connection; what belongs to earlier ones is of no interest.
  var connection: UInt16 = 0
  var clientEnd = End.none
  var gatewayEnd = End.none
  /// Whether the ledger counts it as settled.
  var isSettled = false
  var isRefreshingAgain = false
}
