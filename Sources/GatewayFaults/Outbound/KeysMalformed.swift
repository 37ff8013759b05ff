internal import GatewayCore

/// An issuer whose set of keys ends in the middle.
struct KeysMalformed: AnswerFault {
  static let word = "jwks_malformed"
  static let summary = "answers requests for an issuer's keys with half a JSON"
  static let members = OutboundChoice.keysMembers
  static let example = #"{"fault": "jwks_malformed", "times": 1}"#

  let places: OutboundChoice
  let harm = OutboundHarm.said(Array(#"{"keys":[{"kty":"EC","cr"#.utf8))

  init(_ fields: FaultFields) throws(GatewayError) { places = try .keys(fields) }
}
