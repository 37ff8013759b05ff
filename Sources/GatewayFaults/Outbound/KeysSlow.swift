internal import GatewayCore

/// An issuer whose server of keys is slow.
struct KeysSlow: AnswerFault {
  static let word = "jwks_slow"
  static let summary = "delays requests for an issuer's keys, in real time"
  static let members = ["by_ms"] + OutboundChoice.keysMembers
  static let example = #"{"fault": "jwks_slow", "by_ms": 2000, "times": 3}"#

  let places: OutboundChoice
  let harm: OutboundHarm

  init(_ fields: FaultFields) throws(GatewayError) {
    places = try .keys(fields)
    harm = .late(try fields.delay())
  }
}
