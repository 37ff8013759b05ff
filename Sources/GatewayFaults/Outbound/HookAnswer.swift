internal import GatewayCore
internal import GatewayKit

/// A backend that answers with a status in place of a decision. 401 and 403 are a refusal.
struct HookAnswer: OutboundFault {
  static let word = "hook_answer"
  static let summary = "answers questions to the application's backend with an HTTP status"
  static let members = ["status", "retry_after_s"] + HookChoice.members
  static let example = #"{"fault": "hook_answer", "status": 503, "retry_after_s": 2, "of": "refresh", "times": 3}"#

  let hooks: HookChoice
  let harm: OutboundHarm

  init(_ fields: FaultFields) throws(GatewayError) {
    hooks = try HookChoice(fields)
    let status = try fields.whole("status", in: 300...599) ?? 500
    let retryAfter = try fields.seconds("retry_after_s")
    harm = .answered(
      HTTPResponse(status: Int(status), headers: retryAfter.map { [.retryAfter($0)] } ?? []))
  }
}
