internal import GatewayCore

/// A server of opaque tokens that is slow.
struct IntrospectSlow: AnswerFault {
  static let word = "introspect_slow"
  static let summary = "delays questions about opaque tokens, in real time"
  static let members = ["by_ms"]
  static let example = #"{"fault": "introspect_slow", "by_ms": 2000, "times": 3}"#

  let places = OutboundChoice.introspection
  let harm: OutboundHarm

  init(_ fields: FaultFields) throws(GatewayError) { harm = .late(try fields.delay()) }
}
