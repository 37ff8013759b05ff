internal import GatewayCore

/// A backend that never answers.
struct HookNever: AnswerFault {
  static let word = "hook_never"
  static let summary = "leaves questions to the application's backend unanswered"
  static let members = OutboundChoice.hookMembers
  static let example = #"{"fault": "hook_never", "who": {"users": ["ann"]}, "for_s": 120}"#

  let places: OutboundChoice
  let harm = OutboundHarm.unanswered

  init(_ fields: FaultFields) throws(GatewayError) { places = try .hooks(fields) }
}
