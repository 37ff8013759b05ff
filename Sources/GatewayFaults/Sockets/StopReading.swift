internal import GatewayCore

/// A connection from which nothing is read any more, while the gateway's messages arrive. A new token that the client
/// sends has no effect.
struct StopReading: SocketFault {
  static let word = "stop_reading"
  static let summary =
    "reads nothing from present connections, not even pings, until the fault is withdrawn"
  static let example = #"{"fault": "stop_reading", "for_s": 30}"#

  init(_ fields: FaultFields) throws(GatewayError) {}

  func befall(_ socket: FaultySocket) { socket.halt(true) }

  func leave(_ socket: FaultySocket) { socket.halt(false) }
}
