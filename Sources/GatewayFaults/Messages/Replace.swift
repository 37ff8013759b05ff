package import GatewayCore

/// A message that is replaced by another, e.g. one of an unknown type, or an error.
package struct Replace: MessageFault {
  package static let word = "replace"
  package static let summary = "replaces the message by an error, or by a text"
  package static let members = ["error", "text"] + FaultyMessage.members
  package static let example =
    #"{"fault": "replace", "what": "reply:refresh", "text": "{\"type\":\"nobody_knows\"}", "times": 1}"#

  package let message: FaultyMessage
  private let fate: MessageFate
  /// Whether an error in the wire's format is sent.
  package var needsWords: Bool {
    if case .reworded = fate { true } else { false }
  }

  private static let textLengthMax = 65_536

  package init(_ fields: FaultFields) throws(GatewayError) {
    message = try FaultyMessage(fields)
    let (error, text) = (try fields.error("error"), try fields.text("text", bytes: Self.textLengthMax))
    switch (error, text) {
    case (let error?, nil) where message.goesOut: fate = .reworded(.error(error, request: nil))
    case (nil, let text?): fate = .replaced(Frame(text: text))
    default: throw .invalidParameter.detailed("replace wants text, or the error that the gateway says, and not both")
    }
  }

  package func fate(of frame: Frame) -> MessageFate { fate }
}
