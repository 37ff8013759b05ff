package import GatewayCore

/// A connection that ends without a close frame when the gateway closes it. The client's library reports 1006 instead
/// of the code, e.g. 4000.
package struct Abort: EndingFault {
  package static let word = "abort"
  package static let summary = "drops the transport in place of a close frame"
  package static let members = ["for"]
  package static let example = #"{"fault": "abort", "for": ["refresh_timeout"]}"#

  package let reasons: [Name]

  package init(_ fields: FaultFields) throws(GatewayError) { reasons = try fields.reasons() }

  package func ending(for reason: CloseReason) -> Ending { .aborted }
}
