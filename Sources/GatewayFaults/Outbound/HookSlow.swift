internal import GatewayCore

/// A backend that is slow, e.g. slower than a question may take.
struct HookSlow: AnswerFault {
  static let word = "hook_slow"
  static let summary = "delays questions to the application's backend, in real time"
  static let members = ["by_ms"] + OutboundChoice.hookMembers
  static let example = #"{"fault": "hook_slow", "by_ms": 2000, "of": "connect"}"#

  let places: OutboundChoice
  let harm: OutboundHarm

  init(_ fields: FaultFields) throws(GatewayError) {
    places = try .hooks(fields)
    harm = .late(try fields.delay())
  }
}
