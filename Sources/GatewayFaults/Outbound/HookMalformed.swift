internal import GatewayCore

/// A backend whose answers end in the middle.
struct HookMalformed: AnswerFault {
  static let word = "hook_malformed"
  static let summary = "answers questions to the application's backend with half a JSON"
  static let members = OutboundChoice.hookMembers
  static let example = #"{"fault": "hook_malformed", "times": 1}"#

  let places: OutboundChoice
  let harm = OutboundHarm.said(Array(#"{"result":{"us"#.utf8))

  init(_ fields: FaultFields) throws(GatewayError) { places = try .hooks(fields) }
}
