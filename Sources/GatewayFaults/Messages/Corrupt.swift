package import GatewayCore

/// A message that is cut in half, e.g. a reply that ends within a string. No client may accept it as complete.
package struct Corrupt: MessageFault {
  package static let word = "corrupt"
  package static let summary = "cuts the message off in the middle"
  package static let members = FaultyMessage.members
  package static let example = #"{"fault": "corrupt", "what": "request:refresh", "times": 1}"#

  package let message: FaultyMessage

  package init(_ fields: FaultFields) throws(GatewayError) {
    message = try FaultyMessage(fields)
  }

  package func fate(of frame: Frame) -> MessageFate { .replaced(Frame(frame.kind, Self.half(of: frame))) }

  /// Returns the first half. Text is cut between characters, since transports reject invalid UTF-8 (RFC 6455 section
  /// 8.1).
  private static func half(of frame: Frame) -> [UInt8] {
    var count = frame.payload.count / 2
    if frame.kind == .text {
      while count > 0, frame.payload[count] & 0xC0 == 0x80 { count -= 1 }
    }
    return Array(frame.payload.prefix(count))
  }
}
