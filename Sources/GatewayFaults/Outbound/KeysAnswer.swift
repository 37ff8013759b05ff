internal import GatewayCore

/// An issuer whose server of keys answers with a status, e.g. 429 at its limit.
struct KeysAnswer: AnswerFault {
  static let word = "jwks_answer"
  static let summary = "answers requests for an issuer's keys with an HTTP status"
  static let members = OutboundHarm.statusMembers + OutboundChoice.keysMembers
  static let example = #"{"fault": "jwks_answer", "status": 429, "retry_after_s": 30, "for_s": 60}"#

  let places: OutboundChoice
  let harm: OutboundHarm

  init(_ fields: FaultFields) throws(GatewayError) {
    places = try .keys(fields)
    harm = try .status(fields)
  }
}
