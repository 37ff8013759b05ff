package import GatewayCore

/// A connection that breaks off by a reset (RFC 9293 section 3.5.3), e.g. in the middle of a refresh.
package struct Reset: SocketFault {
  package static let word = "reset"
  package static let summary = "resets the connections that are there now, or each as \"when\" says"
  package static let example = #"{"fault": "reset", "who": {"users": ["martin"]}}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func befall(_ socket: FaultySocket) { socket.reset() }
}
