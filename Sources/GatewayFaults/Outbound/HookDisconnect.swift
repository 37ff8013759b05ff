internal import GatewayCore
internal import GatewayJSON

/// A backend that has clients disconnected, with a close code of its own.
struct HookDisconnect: AnswerFault {
  static let word = "hook_disconnect"
  static let summary = "disconnects in the name of the application's backend, with its close code and reason"
  static let members = ["code", "reason"] + OutboundChoice.hookMembers
  static let example = #"{"fault": "hook_disconnect", "code": 4500, "reason": "banned", "of": "refresh", "times": 1}"#

  let places: OutboundChoice
  let harm: OutboundHarm

  init(_ fields: FaultFields) throws(GatewayError) {
    places = try .hooks(fields)
    let code = try fields.whole("code", in: 4_000...4_999) ?? 4_500
    let reason = try fields.text("reason", bytes: 32) ?? ""
    harm = .said(
      JSONWriter.object(capacity: 64) { json in
        json.member("disconnect") { disconnect in
          disconnect.member("code", code)
          disconnect.member("reason", reason)
        }
      })
  }
}
