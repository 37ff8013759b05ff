package import GatewayCore

/// A message that comes twice.
package struct Duplicate: MessageFault {
  package static let word = "duplicate"
  package static let summary = "sends or receives the message twice"
  package static let members = FaultyMessage.members
  package static let example = #"{"fault": "duplicate", "what": "request:refresh", "times": 1}"#

  package let message: FaultyMessage

  package init(_ fields: FaultFields) throws(GatewayError) {
    message = try FaultyMessage(fields)
  }

  package func fate(of frame: Frame) -> MessageFate { .twice }
}
