internal import GatewayCore

/// A backend that never answers.
struct HookNever: OutboundFault {
  static let word = "hook_never"
  static let summary = "leaves questions to the application's backend unanswered"
  static let members = HookChoice.members
  static let example = #"{"fault": "hook_never", "who": {"users": ["ann"]}, "for_s": 120}"#

  let hooks: HookChoice
  let harm = OutboundHarm.unanswered

  init(_ fields: FaultFields) throws(GatewayError) { hooks = try HookChoice(fields) }
}
