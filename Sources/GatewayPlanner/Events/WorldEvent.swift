internal import GatewayCore

/// An event of a world with its time.
struct WorldEvent: BitwiseCopyable {
  /// The kind of event.
  enum Kind: UInt8 {
    /// The upgrade request of a client reaches the gateway.
    case upgrade
    /// The answer to it reaches the client.
    case opened
    /// A token reaches the gateway; the value is the time of its expiry.
    case presented
    /// Meaningless bytes reach the gateway.
    case nonsense
    case pinged
    /// The client's close frame reaches the gateway.
    case clientClosed
    /// Messages of the gateway reach the client. The value is one of these: the timeout in milliseconds, with the
    /// cause's index in its lowest two bits; the end of a key; the error's number; the close code.
    case connected
    case refreshRequired
    case refreshed
    case error
    case refusal
    case ponged
    case gatewayClosed
    /// A client's request for a session key reaches the gateway, and the answer reaches the client. The value is the
    /// end of the key, or the negative number of the error.
    case keyAsked
    case keyAnswered
    /// The deadlines of the two machines.
    case clientDue
    case sessionDue
    /// A request reaches the provider, is completed there, and its answer reaches the client; the subject is the
    /// request.
    case asked
    case made
    case answered
    /// The provider becomes unavailable, or available again.
    case paused
    case resumed
    /// A phase of the scenario begins; the subject is its number.
    case phase
    /// The planner's push comes.
    case pushed
    /// The planner cuts a loop. A request or a connection that this has delayed is made; the value of a request is its
    /// number and its call.
    case cut
    case released
    case redialled
    /// The stay of a client is over; the value is the client's number.
    case departs
  }

  let time: Int64
  /// The key that orders events of one time: their number, then the connection, then the kind.
  private let order: UInt64
  /// The number of a client, or of a request.
  let subject: UInt32
  /// The index of the next event in the same list.
  var next: UInt32
  let value: Int64

  init(_ kind: Kind, at time: Int64, number: UInt64, subject: UInt32, connection: UInt16, value: Int64) {
    self.time = time
    order = number << 24 | UInt64(connection) << 8 | UInt64(kind.rawValue)
    self.subject = subject
    self.value = value
    next = .max
  }

  var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: order)) ?? .clientDue }
  var connection: UInt16 { UInt16(truncatingIfNeeded: order >> 8) }

  /// Returns whether it comes before the other.
  func isBefore(_ other: WorldEvent) -> Bool {
    time != other.time ? time < other.time : order < other.order
  }
}
