package import GatewayCore

/// A wrong clock of the gateway, e.g. an hour behind that of its token provider.
package struct GatewayClock: ClockFault {
  package static let word = "gateway_clock"
  package static let summary =
    "sets the gateway's time of day ahead by ahead_s (behind if negative, at most 200 years), or lets it drift"
  package static let members = ClockError.members
  package static let example = #"{"fault": "gateway_clock", "ahead_s": -3600, "drift": 0.001}"#

  package let error: ClockError

  package init(_ fields: FaultFields) throws(GatewayError) { error = try ClockError(fields) }
}
