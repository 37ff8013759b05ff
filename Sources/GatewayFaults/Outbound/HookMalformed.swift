internal import GatewayCore

/// A backend whose answers end in the middle.
struct HookMalformed: OutboundFault {
  static let word = "hook_malformed"
  static let summary = "answers questions to the application's backend with half a JSON"
  static let members = HookChoice.members
  static let example = #"{"fault": "hook_malformed", "times": 1}"#

  let hooks: HookChoice
  let harm = OutboundHarm.said(Array(#"{"result":{"us"#.utf8))

  init(_ fields: FaultFields) throws(GatewayError) { hooks = try HookChoice(fields) }
}
