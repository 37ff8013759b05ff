package import GatewayCore

/// A connection that stays when the gateway closes it, but receives nothing any more. The client must find out by
/// itself, e.g. by its own pings.
package struct NeverClose: EndingFault {
  package static let word = "never_close"
  package static let summary = "leaves the connection open instead of closing it"
  package static let members = FaultyClose.members
  package static let example = #"{"fault": "never_close", "times": 1}"#

  package let close: FaultyClose

  package init(_ fields: FaultFields) throws(GatewayError) { close = try FaultyClose(fields) }

  package func ending(for reason: CloseReason) -> Ending { .forgotten }
}
