package import GatewayCore

/// A connection of which nothing is read any more, though what the gateway says arrives: a new token is sent in vain,
/// for instance.
package struct StopReading: SocketFault {
  package static let word = "stop_reading"
  package static let summary =
    "reads nothing from the connections that are there now, no pings either, until it is taken back"
  package static let example = #"{"fault": "stop_reading", "for_s": 30}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func befall(_ socket: FaultySocket) { socket.stopReading() }

  package func leave(_ socket: FaultySocket) { socket.goOnReading() }
}
