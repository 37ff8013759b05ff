internal import GatewayCore
internal import GatewayRuntime

/// A webhook that arrives once more, as if its answer had been lost.
struct WebhookTwice: WebhookFault {
  static let word = "webhook_twice"
  static let summary = "sends a webhook once more after it has been delivered"
  static let members = OutboundChoice.webhookMembers
  static let example = #"{"fault": "webhook_twice", "times": 3}"#

  let places: OutboundChoice
  let harm = WebhookHarm.twice

  init(_ fields: FaultFields) throws(GatewayError) { places = try .webhooks(fields) }
}
