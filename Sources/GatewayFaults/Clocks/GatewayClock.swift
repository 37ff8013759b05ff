internal import GatewayCore

/// A wrong clock of the gateway, e.g. an hour behind that of its token provider.
struct GatewayClock: ClockFault {
  static let word = "gateway_clock"
  static let summary =
    "sets the gateway's time of day ahead by ahead_s (behind if negative, at most 200 years), or lets it drift"
  static let members = ClockError.members
  static let example = #"{"fault": "gateway_clock", "ahead_s": -3600, "drift": 0.001}"#

  let error: ClockError

  init(_ fields: FaultFields) throws(GatewayError) { error = try ClockError(fields) }
}
