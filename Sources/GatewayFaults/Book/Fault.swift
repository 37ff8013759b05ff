package import GatewayCore

/// An intentional error of the gateway, e.g. losing the reply to a refresh. Each fault has its own file and word;
/// ``Faults`` lists them.
package protocol Fault: Sendable {
  /// The name of the fault in orders, e.g. `drop`.
  static var word: String { get }

  /// The effect on the gateway, in one line.
  static var summary: String { get }

  /// The names of the members that only its orders have.
  static var members: [String] { get }

  /// An example of an order, as JSON.
  static var example: String { get }

  /// Whether it affects the gateway as a whole, not single users.
  static var isOfAll: Bool { get }

  /// Reads the fault's members of an order. Throws if one is missing or out of range.
  init(_ fields: FaultFields) throws(GatewayError)
}

// Defaults.

extension Fault {
  package static var members: [String] { [] }
  package static var isOfAll: Bool { false }

  /// Reads the fault's order, for a type that is known only at run time.
  static func read(_ fields: FaultFields) throws(GatewayError) -> any Fault { try Self(fields) }
}

/// A fault of received or sent messages.
package protocol MessageFault: Fault {
  var message: FaultyMessage { get }

  /// Returns the fate of the message.
  func fate(of frame: Frame) -> MessageFate
}

/// The fate of a message that a fault affects.
package enum MessageFate: Hashable, Sendable {
  case lost
  /// It goes on later by this duration, in the time of the network.
  case late(Duration)
  case twice
  /// It goes on after the next one.
  case behindNext
  /// This frame goes on instead.
  case replaced(Frame)
  /// The gateway sends this message instead, in the wire's format.
  case reworded(OutboundMessage)
  /// It tells the client this life of the token in place of the gateway's.
  case shortened(Duration)

  /// Whether the message is kept for a while.
  var keepsBack: Bool {
    switch self {
    case .late, .behindNext: true
    case .lost, .twice, .replaced, .reworded, .shortened: false
    }
  }

  /// The fate of a frame that is sent ahead of the message. If the message is replaced, the frame is lost.
  var ofBeginning: MessageFate {
    switch self {
    case .replaced, .reworded: .lost
    case .lost, .late, .twice, .behindNext, .shortened: self
    }
  }
}

/// A fault of the upgrade, before there is a connection, e.g. 503 instead of 101.
package protocol AdmissionFault: Fault {
  /// Returns the response instead of a 101, in the wire's format; nil if there is never an answer.
  func refusal(_ words: (GatewayError) -> HTTPResponse) -> HTTPResponse?
}

/// A fault of connections that the gateway closes, e.g. a reset instead of the close frame with 4000.
package protocol EndingFault: Fault {
  /// The affected closes.
  var close: FaultyClose { get }

  /// Returns how the connection ends instead of by a close frame with `reason`.
  func ending(for reason: CloseReason) -> Ending
}

/// The way in which the gateway ends a connection.
package enum Ending: Hashable, Sendable {
  case closed(CloseReason)
  /// The transport ends without a close frame.
  case aborted
  /// It ends by a reset (RFC 9293 section 3.10.7).
  case reset
  /// It does not end: the gateway forgets the connection, and the transport stays until the peer ends it.
  case forgotten
}

/// A fault of the socket that takes effect at once, e.g. pings without pongs.
package protocol SocketFault: Fault {
  func befall(_ socket: FaultySocket)

  /// Ends the fault, if that is possible.
  func leave(_ socket: FaultySocket)
}

extension SocketFault {
  package func leave(_ socket: FaultySocket) {}
}
