package import GatewayCore

/// A wrong clock of the tokens' issuer, e.g. a minute ahead of the gateway's.
package struct IssuerClock: IssuerClockFault {
  package static let word = "issuer_clock"
  package static let summary =
    "sets the token provider's clock ahead by ahead_s (behind if negative, at most 200 years), or lets it drift"
  package static let members = ClockError.members
  package static let example = #"{"fault": "issuer_clock", "ahead_s": 60}"#

  package let error: ClockError

  package init(_ fields: FaultFields) throws(GatewayError) { error = try ClockError(fields) }
}
