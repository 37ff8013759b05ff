package import GatewayCore

/// A connection that is half open, as behind a router that lost power. It stays, but nothing passes until the fault is
/// removed.
package struct HalfOpen: SocketFault {
  package static let word = "half_open"
  package static let summary = "keeps present connections open, and delivers nothing in either direction"
  package static let example = #"{"fault": "half_open", "who": {"users": ["martin"]}, "for_s": 30}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func befall(_ socket: FaultySocket) { socket.cut(true) }

  package func leave(_ socket: FaultySocket) { socket.cut(false) }
}
