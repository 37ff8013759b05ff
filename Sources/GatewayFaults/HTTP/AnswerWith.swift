package import GatewayCore

/// An HTTP request that is refused with a status.
package struct AnswerWith: HTTPFault {
  package static let word = "answer_with"
  package static let summary = "answers HTTP requests of one route, or below a path, with a status"
  package static let members = FaultAnswer.members + RouteChoice.members + AnswerMoment.members
  package static let example =
    #"{"fault": "answer_with", "route": "/v3/users", "status": 503, "retry_after_s": 2, "times": 2}"#

  package let routes: RouteChoice
  package let asksUpstream: Bool
  package let fate: HTTPFate

  package init(_ fields: FaultFields) throws(GatewayError) {
    routes = try RouteChoice(fields)
    asksUpstream = try AnswerMoment.asksUpstream(fields)
    fate = .answered(try FaultAnswer(fields))
  }
}
