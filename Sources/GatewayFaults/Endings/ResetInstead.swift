package import GatewayCore

/// A connection that is reset when the gateway closes it. The client reads ECONNRESET instead of the code, e.g. 4000.
package struct ResetInstead: EndingFault {
  package static let word = "reset_instead"
  package static let summary = "resets the transport instead of sending a close frame"
  package static let members = FaultyClose.members
  package static let example = #"{"fault": "reset_instead", "for": ["refresh_timeout"]}"#

  package let close: FaultyClose

  package init(_ fields: FaultFields) throws(GatewayError) { close = try FaultyClose(fields) }

  package func ending(for reason: CloseReason) -> Ending { .reset }
}
