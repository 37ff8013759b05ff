package import GatewayCore

/// A connection from which nothing is read any more, while the gateway's messages arrive. A new token is sent in vain.
package struct StopReading: SocketFault {
  package static let word = "stop_reading"
  package static let summary =
    "reads nothing from present connections, not even pings, until the fault is withdrawn"
  package static let example = #"{"fault": "stop_reading", "for_s": 30}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func befall(_ socket: FaultySocket) { socket.halt(true) }

  package func leave(_ socket: FaultySocket) { socket.halt(false) }
}
