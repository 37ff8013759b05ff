internal import GatewayCore

/// A connection that stays when the gateway closes it, but receives nothing any more. The client must find out by
/// itself, e.g. by its own pings.
struct NeverClose: EndingFault {
  static let word = "never_close"
  static let summary = "leaves the connection open instead of closing it"
  static let members = FaultyClose.members
  static let example = #"{"fault": "never_close", "times": 1}"#

  let close: FaultyClose

  init(_ fields: FaultFields) throws(GatewayError) { close = try FaultyClose(fields) }

  func ending(for reason: CloseReason) -> Ending { .forgotten }
}
