internal import GatewayCore

/// A server of opaque tokens that knows none (RFC 7662 section 2.2).
struct IntrospectInactive: AnswerFault {
  static let word = "introspect_inactive"
  static let summary = "answers questions about opaque tokens that the token is not active"
  static let example = #"{"fault": "introspect_inactive", "times": 1}"#

  let places = OutboundChoice.introspection
  let harm = OutboundHarm.said(Array(#"{"active":false}"#.utf8))

  init(_ fields: FaultFields) throws(GatewayError) {}
}
