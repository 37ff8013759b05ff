package import GatewayCore

/// An HTTP request that is never answered, unless the fault is removed while a client waits.
package struct AnswerNever: HTTPFault {
  package static let word = "answer_never"
  package static let summary = "never answers HTTP requests of one route, or below a path"
  package static let members = RouteChoice.members + AnswerMoment.members
  package static let example = #"{"fault": "answer_never", "route": "/v1/calls", "times": 1}"#

  package let routes: RouteChoice
  package let asksUpstream: Bool
  package let fate = HTTPFate.unanswered

  package init(_ fields: FaultFields) throws(GatewayError) {
    routes = try RouteChoice(fields)
    asksUpstream = try AnswerMoment.asksUpstream(fields)
  }
}
