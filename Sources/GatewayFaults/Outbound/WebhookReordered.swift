internal import GatewayCore
internal import GatewayRuntime

/// A webhook that arrives after the next one about the same thing.
struct WebhookReordered: WebhookFault {
  static let word = "webhook_reordered"
  static let summary =
    "sends a webhook after the next one about the same thing, if that comes within within_ms (default 5000)"
  static let members = ["within_ms"] + OutboundChoice.webhookMembers
  static let example = #"{"fault": "webhook_reordered", "within_ms": 10000, "times": 1}"#

  let places: OutboundChoice
  let harm: WebhookHarm

  init(_ fields: FaultFields) throws(GatewayError) {
    places = try .webhooks(fields)
    harm = .behindNext(try fields.milliseconds("within_ms") ?? .seconds(5))
  }
}
