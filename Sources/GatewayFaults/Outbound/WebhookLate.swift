internal import GatewayCore
internal import GatewayRuntime

/// A webhook that arrives late. Those behind it about the same thing wait for it.
struct WebhookLate: WebhookFault {
  static let word = "webhook_late"
  static let summary = "delays a webhook, in real time"
  static let members = ["by_ms"] + OutboundChoice.webhookMembers
  static let example = #"{"fault": "webhook_late", "by_ms": 5000, "times": 1}"#

  let places: OutboundChoice
  let harm: WebhookHarm

  init(_ fields: FaultFields) throws(GatewayError) {
    places = try .webhooks(fields)
    harm = .late(try fields.delay())
  }
}
