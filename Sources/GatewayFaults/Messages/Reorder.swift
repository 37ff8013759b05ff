package import GatewayCore

/// A message that comes behind the next one that goes the same way: the reply to a refresh, for instance, behind what
/// was said in the call.
package struct Reorder: MessageFault {
  package static let word = "reorder"
  package static let summary = "lets the message go on behind the next one"
  package static let members = ["what"]
  package static let example = #"{"fault": "reorder", "what": "reply:refresh", "times": 1}"#

  package let message: FaultyMessage

  package init(_ fields: FaultFields) throws(GatewayError) {
    message = try FaultyMessage(fields)
  }

  package func fate(of frame: Frame) -> MessageFate { .behindNext }
}
