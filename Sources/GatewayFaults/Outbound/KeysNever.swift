internal import GatewayCore

/// An issuer whose server of keys never answers.
struct KeysNever: AnswerFault {
  static let word = "jwks_never"
  static let summary = "leaves requests for an issuer's keys unanswered"
  static let members = OutboundChoice.keysMembers
  static let example = #"{"fault": "jwks_never", "for_s": 120}"#

  let places: OutboundChoice
  let harm = OutboundHarm.unanswered

  init(_ fields: FaultFields) throws(GatewayError) { places = try .keys(fields) }
}
