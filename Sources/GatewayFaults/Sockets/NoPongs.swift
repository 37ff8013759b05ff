package import GatewayCore

/// A connection whose pings are not answered with pongs (RFC 6455 section 5.5.3), while messages are. A client that
/// counts pongs reconnects.
package struct NoPongs: SocketFault {
  package static let word = "no_pongs"
  package static let summary = "does not answer pings of present connections, until the fault is withdrawn"
  package static let example = #"{"fault": "no_pongs", "who": {"users": ["martin"]}}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func befall(_ socket: FaultySocket) { socket.withholdPongs(true) }

  package func leave(_ socket: FaultySocket) { socket.withholdPongs(false) }
}
