package import GatewayCore

/// A connection that ends without a close frame when the gateway closes it. The client's library reports 1006 instead
/// of the code, e.g. 4000.
package struct Abort: EndingFault {
  package static let word = "abort"
  package static let summary = "closes the transport without a close frame"
  package static let members = FaultyClose.members
  package static let example = #"{"fault": "abort", "for": ["refresh_timeout"]}"#

  package let close: FaultyClose

  package init(_ fields: FaultFields) throws(GatewayError) { close = try FaultyClose(fields) }

  package func ending(for reason: CloseReason) -> Ending { .aborted }
}
