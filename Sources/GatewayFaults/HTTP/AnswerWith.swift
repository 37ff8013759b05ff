internal import GatewayCore

/// An HTTP request that is refused with a status.
struct AnswerWith: HTTPFault {
  static let word = "answer_with"
  static let summary = "answers HTTP requests of one route, or below a path, with a status"
  static let members = FaultAnswer.members + RouteChoice.members + AnswerMoment.members
  static let example =
    #"{"fault": "answer_with", "route": "/v3/users", "status": 503, "retry_after_s": 2, "times": 2}"#

  let routes: RouteChoice
  let asksUpstream: Bool
  let fate: HTTPFate

  init(_ fields: FaultFields) throws(GatewayError) {
    routes = try RouteChoice(fields)
    asksUpstream = try AnswerMoment.asksUpstream(fields)
    fate = .answered(try FaultAnswer(fields))
  }
}
