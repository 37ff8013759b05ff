internal import GatewayCore
internal import GatewayRuntime

/// A webhook that never arrives.
struct WebhookLost: WebhookFault {
  static let word = "webhook_lost"
  static let summary = "does not send a webhook, which counts as delivered"
  static let members = OutboundChoice.webhookMembers
  static let example = #"{"fault": "webhook_lost", "times": 1}"#

  let places: OutboundChoice
  let harm = WebhookHarm.lost

  init(_ fields: FaultFields) throws(GatewayError) { places = try .webhooks(fields) }
}
