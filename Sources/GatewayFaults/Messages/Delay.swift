package import GatewayCore

/// A message that is late, in the time of the network.
package struct Delay: MessageFault {
  package static let word = "delay"
  package static let summary = "delays the message, in real time"
  package static let members = ["by_ms"] + FaultyMessage.members
  package static let example = #"{"fault": "delay", "what": "request:refresh", "by_ms": 2000}"#

  package let message: FaultyMessage
  private let duration: Duration

  package init(_ fields: FaultFields) throws(GatewayError) {
    message = try FaultyMessage(fields)
    let duration = try fields.delay()
    self.duration = duration
  }

  package func fate(of frame: Frame) -> MessageFate { .late(duration) }
}
