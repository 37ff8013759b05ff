internal import GatewayCore

/// A backend that is slow, e.g. slower than a question may take.
struct HookSlow: OutboundFault {
  static let word = "hook_slow"
  static let summary = "delays questions to the application's backend, in real time"
  static let members = ["by_ms"] + HookChoice.members
  static let example = #"{"fault": "hook_slow", "by_ms": 2000, "of": "connect"}"#

  let hooks: HookChoice
  let harm: OutboundHarm

  init(_ fields: FaultFields) throws(GatewayError) {
    hooks = try HookChoice(fields)
    guard let duration = try fields.milliseconds("by_ms") else { throw fields.missing("by_ms") }
    harm = .late(duration)
  }
}
