internal import GatewayCore

/// A backend that answers with a status in place of a decision. 401 and 403 are a refusal.
struct HookAnswer: AnswerFault {
  static let word = "hook_answer"
  static let summary = "answers questions to the application's backend with an HTTP status"
  static let members = OutboundHarm.statusMembers + OutboundChoice.hookMembers
  static let example = #"{"fault": "hook_answer", "status": 503, "retry_after_s": 2, "of": "refresh", "times": 3}"#

  let places: OutboundChoice
  let harm: OutboundHarm

  init(_ fields: FaultFields) throws(GatewayError) {
    places = try .hooks(fields)
    harm = try .status(fields)
  }
}
