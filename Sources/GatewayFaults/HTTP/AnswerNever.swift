internal import GatewayCore

/// An HTTP request that is never answered, unless the fault is removed while a client waits.
struct AnswerNever: HTTPFault {
  static let word = "answer_never"
  static let summary = "never answers HTTP requests of one route, or below a path"
  static let members = RouteChoice.members + AnswerMoment.members
  static let example = #"{"fault": "answer_never", "route": "/v1/calls", "times": 1}"#

  let routes: RouteChoice
  let asksUpstream: Bool
  let fate = HTTPFate.unanswered

  init(_ fields: FaultFields) throws(GatewayError) {
    routes = try RouteChoice(fields)
    asksUpstream = try AnswerMoment.asksUpstream(fields)
  }
}
