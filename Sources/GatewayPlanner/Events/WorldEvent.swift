internal import GatewayCore

/// Something that is to happen in a world at its time: a message reaches client 17 at 12.034 s, for instance.
struct WorldEvent: BitwiseCopyable {
  /// The kind of event: a token reaches the gateway, for instance.
  enum Kind: UInt8 {
    /// The upgrade request of a client reaches the gateway.
    case upgrade
    /// The answer to it reaches the client.
    case opened
    /// A token reaches the gateway; the value is when it expires.
    case presented
    /// Bytes that mean nothing reach the gateway.
    case nonsense
    case pinged
    /// The client's close frame reaches the gateway.
    case clientClosed
    /// Messages of the gateway reach the client; the value is the time-out in milliseconds with the place of the cause in its
    /// lowest two bits, when a key ends, the error's number, or the code.
    case connected
    case refreshRequired
    case refreshed
    case error
    case refusal
    case ponged
    case gatewayClosed
    /// A client's wish for a session key reaches the gateway, and the answer the client: the value is when the key ends, or
    /// negative the number of the error.
    case keyAsked
    case keyAnswered
    /// The deadlines of the two machines.
    case clientDue
    case sessionDue
    /// A request reaches the provider, is done there, and its answer reaches the client; the subject is the request.
    case asked
    case made
    case answered
    /// The provider goes away, or comes back.
    case paused
    case resumed
    /// A phase of the scenario begins; the subject is its number.
    case phase
  }

  let time: Int64
  /// The number that decides among events of one time, then the connection's, then the kind.
  private let order: UInt64
  /// The number of a client, or of a request.
  let subject: UInt32
  /// The place of the next event in the same list.
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

  /// Whether it comes before the other.
  func isBefore(_ other: WorldEvent) -> Bool {
    time != other.time ? time < other.time : order < other.order
  }
}
