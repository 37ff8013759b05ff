internal import GatewayCore
internal import GatewayJSON

/// A backend that refuses, with a code and a message of its own.
struct HookDeny: AnswerFault {
  static let word = "hook_deny"
  static let summary = "refuses in the name of the application's backend, with its code and message"
  static let members = ["code", "message"] + OutboundChoice.hookMembers
  static let example = #"{"fault": "hook_deny", "code": 1000, "message": "no seat", "of": "connect", "times": 1}"#

  let places: OutboundChoice
  let harm: OutboundHarm

  init(_ fields: FaultFields) throws(GatewayError) {
    places = try .hooks(fields)
    let code = try fields.whole("code", in: 0...4_294_967_295) ?? 403
    let message = try fields.text("message", bytes: 256) ?? ""
    harm = .said(
      JSONWriter.object(capacity: 64) { json in
        json.member("error") { error in
          error.member("code", code)
          error.member("message", message)
        }
      })
  }
}
