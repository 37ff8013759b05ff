package import GatewayCore

/// A message that comes after the next one of the same direction, e.g. the reply to a refresh after a call's event.
package struct Reorder: MessageFault {
  package static let word = "reorder"
  package static let summary = "delivers the message after the next one"
  package static let members = FaultyMessage.members
  package static let example = #"{"fault": "reorder", "what": "reply:refresh", "times": 1}"#

  package let message: FaultyMessage

  package init(_ fields: FaultFields) throws(GatewayError) {
    message = try FaultyMessage(fields)
  }

  package func fate(of frame: Frame) -> MessageFate { .behindNext }
}
