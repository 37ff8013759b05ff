package import GatewayCore

/// A connection whose closing handshake is never finished (RFC 6455 section 7.1.2). A client that waits for the
/// gateway's close frame waits up to 15 s.
package struct UnfinishedClose: SocketFault {
  package static let word = "unfinished_close"
  package static let summary =
    "does not answer close frames of present connections, and keeps their transport for 15 s"
  package static let example = #"{"fault": "unfinished_close", "who": {"users": ["martin"]}}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func befall(_ socket: FaultySocket) { socket.answersClose = false }

  package func leave(_ socket: FaultySocket) { socket.answersClose = true }
}
