package import GatewayCore

/// Something that a gateway does wrong on purpose: it loses the reply to a refresh, for instance. Each has a file and a
/// word of its own; ``Faults`` lists them.
package protocol Fault: Sendable {
  /// What it goes by: `drop`.
  static var word: String { get }

  /// What the gateway does, in one line.
  static var summary: String { get }

  /// What its orders say beside what every order may: their names.
  static var members: [String] { get }

  /// An order of it, as JSON.
  static var example: String { get }

  /// Whether it befalls the gateway as it is, not this user or that.
  static var isOfAll: Bool { get }

  /// Reads what its order says. Throws what is missing, or out of range.
  init(_ fields: FaultFields) throws(GatewayError)
}

// What holds for a fault that says nothing else.

extension Fault {
  package static var members: [String] { [] }
  package static var isOfAll: Bool { false }

  /// Reads its order, of whatever type it is.
  static func read(_ fields: FaultFields) throws(GatewayError) -> any Fault { try Self(fields) }
}

/// A fault of messages, of one that came in, or one that goes out: a reply to a refresh that is lost, for instance.
package protocol MessageFault: Fault {
  var message: FaultyMessage { get }

  /// What becomes of the message.
  func fate(of frame: Frame) -> MessageFate
}

/// The fate of a message that a fault has met: it comes twice, for instance.
package enum MessageFate: Hashable, Sendable {
  case lost
  /// It goes on so much later, in the time of the network.
  case late(Duration)
  case twice
  /// It goes on behind the next one.
  case behindNext
  /// This goes on in its place.
  case replaced(Frame)
  /// The gateway says this in its place, in the words of the wire.
  case reworded(OutboundMessage)

  /// What becomes of a frame that is said ahead of the message: where another comes in the message's place, nothing.
  var ofBeginning: MessageFate {
    switch self {
    case .replaced, .reworded: .lost
    case .lost, .late, .twice, .behindNext: self
    }
  }
}

/// A fault of the upgrade, before there is a connection: 503 in place of the 101, for instance.
package protocol AdmissionFault: Fault {
  /// What the client is told in place of a 101, in the words of its wire; nil for nothing at all, ever.
  func refusal(_ words: (GatewayError) -> HTTPResponse) -> HTTPResponse?
}

/// A fault of the gateway's own closing: a reset in place of the close frame with 4000, for instance.
package protocol EndingFault: Fault {
  /// The names of the reasons that it takes in; none for all.
  var reasons: [Name] { get }

  /// How the connection ends in place of a close frame with `reason`.
  func ending(for reason: CloseReason) -> Ending
}

/// An end that the gateway makes of a connection: a reset in place of a close frame, for instance.
package enum Ending: Hashable, Sendable {
  case closed(CloseReason)
  /// The transport ends without a close frame.
  case aborted
  /// It ends by a reset (RFC 9293 section 3.10.7).
  case reset
  /// Not at all: the gateway forgets the connection, whose transport stays until the peer ends it.
  case forgotten
}

/// A fault of the socket, which befalls it at once: its pings stay without pongs, for instance.
package protocol SocketFault: Fault {
  func befall(_ socket: FaultySocket)

  /// Takes it back, where that can be done.
  func leave(_ socket: FaultySocket)
}

extension SocketFault {
  package func leave(_ socket: FaultySocket) {}
}
