internal import GatewayCore

/// A wrong clock of the tokens' issuer, e.g. a minute ahead of the gateway's.
struct IssuerClock: IssuerClockFault {
  static let word = "issuer_clock"
  static let summary =
    "sets the token provider's clock ahead by ahead_s (behind if negative, at most 200 years), or lets it drift"
  static let members = ClockError.members
  static let example = #"{"fault": "issuer_clock", "ahead_s": 60}"#

  let error: ClockError

  init(_ fields: FaultFields) throws(GatewayError) { error = try ClockError(fields) }
}
