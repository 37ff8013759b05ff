internal import GatewayCore

/// A server of opaque tokens that answers with a status. 401 and 403 are about the gateway's own credentials.
struct IntrospectAnswer: AnswerFault {
  static let word = "introspect_answer"
  static let summary = "answers questions about opaque tokens with an HTTP status"
  static let members = OutboundHarm.statusMembers
  static let example = #"{"fault": "introspect_answer", "status": 503, "retry_after_s": 2, "for_s": 30}"#

  let places = OutboundChoice.introspection
  let harm: OutboundHarm

  init(_ fields: FaultFields) throws(GatewayError) { harm = try .status(fields) }
}
