package import GatewayCore

/// A connection that breaks off by a reset (RFC 9293 section 3.5.3), e.g. in the middle of a refresh.
package struct Reset: SocketFault {
  package static let word = "reset"
  package static let summary = "resets present connections, or each one when \"when\" is met"
  package static let example = #"{"fault": "reset", "who": {"users": ["martin"]}}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func befall(_ socket: FaultySocket) { socket.reset() }
}
