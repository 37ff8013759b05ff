internal import GatewayCore
internal import GatewayRuntime

/// A webhook without a signature, which a backend must refuse.
struct WebhookUnsigned: WebhookFault {
  static let word = "webhook_unsigned"
  static let summary = "sends a webhook without its signature"
  static let members = OutboundChoice.webhookMembers
  static let example = #"{"fault": "webhook_unsigned", "times": 1}"#

  let places: OutboundChoice
  let harm = WebhookHarm.unsigned

  init(_ fields: FaultFields) throws(GatewayError) { places = try .webhooks(fields) }
}
