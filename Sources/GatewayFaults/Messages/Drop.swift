package import GatewayCore

/// A message that is lost.
package struct Drop: MessageFault {
  package static let word = "drop"
  package static let summary = "loses the message"
  package static let members = FaultyMessage.members
  package static let example = #"{"fault": "drop", "what": "reply:refresh", "times": 1}"#

  package let message: FaultyMessage

  package init(_ fields: FaultFields) throws(GatewayError) {
    message = try FaultyMessage(fields)
  }

  package func fate(of frame: Frame) -> MessageFate { .lost }
}
