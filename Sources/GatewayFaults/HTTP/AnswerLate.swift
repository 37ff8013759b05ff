internal import GatewayCore

/// An HTTP answer that comes late, e.g. a token after 3 s, when the client has asked a second time.
struct AnswerLate: HTTPFault {
  static let word = "answer_late"
  static let summary = "delays HTTP requests of one route, or below a path, in real time"
  static let members = ["by_ms"] + RouteChoice.members + AnswerMoment.members
  static let example = #"{"fault": "answer_late", "route": "POST /v1/tokens", "by_ms": 3000, "times": 1}"#

  let routes: RouteChoice
  let asksUpstream: Bool
  let fate: HTTPFate

  init(_ fields: FaultFields) throws(GatewayError) {
    routes = try RouteChoice(fields)
    asksUpstream = try AnswerMoment.asksUpstream(fields)
    let duration = try fields.delay()
    fate = .late(duration)
  }
}
