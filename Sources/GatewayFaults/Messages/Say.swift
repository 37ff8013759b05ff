package import GatewayCore
internal import GatewayRuntime

/// A message that the gateway sends unasked, e.g. a frame of an unknown type after each login.
package struct Say: SocketFault {
  package static let word = "say"
  package static let summary = "sends a message of yours to present connections, or to each one when \"when\" is met"
  package static let members = ["text", "base64", "mean"]
  package static let example =
    #"{"fault": "say", "text": "{\"type\":\"notice\"}", "when": {"after": "logged_in"}, "times": 1}"#

  private let saying: Saying

  package init(_ fields: FaultFields) throws(GatewayError) {
    saying = try Saying(
      text: try fields.text("text", bytes: Saying.sizeMax),
      base64: try fields.text("base64", bytes: 2 * Saying.sizeMax),
      mean: try fields.text("mean", bytes: FaultFields.nameLengthMax))
  }

  /// Whether saying something at `side` writes a line of this kind, so that an order after that line follows itself.
  static func writes(_ kind: JournalKind, at side: FaultSide) -> Bool {
    kind == .faulted || kind == (side == .client ? .messageOut : .messageIn)
  }

  /// Whether it asks for a token, which only the wire words.
  package var needsWords: Bool { saying == .refreshRequest }

  package func befall(_ socket: FaultySocket) { socket.say(saying) }
}
