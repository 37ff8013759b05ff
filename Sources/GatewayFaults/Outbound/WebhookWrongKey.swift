internal import GatewayCore
internal import GatewayRuntime

/// A webhook as somebody else signs it, which a backend must refuse.
struct WebhookWrongKey: WebhookFault {
  static let word = "webhook_wrong_key"
  static let summary = "signs a webhook as by another key"
  static let members = OutboundChoice.webhookMembers
  static let example = #"{"fault": "webhook_wrong_key", "times": 1}"#

  let places: OutboundChoice
  let harm = WebhookHarm.signedByOther

  init(_ fields: FaultFields) throws(GatewayError) { places = try .webhooks(fields) }
}
