package import GatewayCore

/// A request over HTTP that is never answered, unless the fault is taken back while somebody waits: the next one below
/// `/v1/calls`, for instance.
package struct AnswerNever: HTTPFault {
  package static let word = "answer_never"
  package static let summary = "never answers requests over HTTP; of one route, or below a path"
  package static let members = RouteChoice.members
  package static let example = #"{"fault": "answer_never", "route": "/v1/calls", "times": 1}"#

  package let routes: RouteChoice
  package let fate = HTTPFate.unanswered

  package init(_ fields: FaultFields) throws(GatewayError) { routes = try RouteChoice(fields) }
}
