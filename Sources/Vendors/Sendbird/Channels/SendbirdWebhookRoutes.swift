internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The routes by which an application's server sets where its events are sent.
struct SendbirdWebhookRoutes: Sendable {
  static let topic = "sendbird.webhook"
  private static let path = "/v3/applications/settings/webhook"

  private let services: any GatewayServices
  private let webhooks: SendbirdWebhooks
  private let resource: SendbirdResource

  init(
    gate: SendbirdGate, services: any GatewayServices, webhooks: SendbirdWebhooks, rates: SendbirdRates? = nil
  ) {
    self.services = services
    self.webhooks = webhooks
    resource = SendbirdResource(gate: gate, services: services, rates: rates)
  }

  var routes: [HTTPRoute] {
    [
      resource.route("GET", Self.path) { request throws(SendbirdError) in
        try request.needsServer()
        let showsAll = request.http.parameter("display_all_webhook_categories") == "true"
        do throws(GatewayError) {
          return Self.answer(try await webhooks.current(at: services.wallTime), showsAll: showsAll)
        } catch {
          throw SendbirdError(error)
        }
      },
      resource.route("PUT", Self.path) { request throws(SendbirdError) in
        try request.needsServer()
        return try await change(by: request.body)
      },
    ]
  }

  private func change(by body: SendbirdParameters) async throws(SendbirdError) -> HTTPResponse {
    let (isEnabled, url) = (try body.bool("enabled"), try body.string("url", max: 2_000))
    let includesMembers = try body.bool("include_members")
    let events = try body.strings("enabled_events", count: 100, max: 100)
    if let url, !url.isEmpty {
      guard let address = WebAddress(url), ["http", "https"].contains(address.scheme) else { throw .invalid("url") }
    }
    do throws(GatewayError) {
      let settings = try await webhooks.change(at: services.wallTime) { settings in
        settings.isEnabled = isEnabled ?? settings.isEnabled
        settings.url = url ?? settings.url
        settings.includesMembers = includesMembers ?? settings.includesMembers
        settings.events = events ?? settings.events
        // The vendor turns them off when nothing is left to send.
        if let events, events.isEmpty { settings.isEnabled = false }
      }
      services.tellOthers(VendorNote(Self.topic, ""))
      return Self.answer(settings, showsAll: false)
    } catch {
      throw SendbirdError(error)
    }
  }

  private static func answer(_ settings: SendbirdWebhookSettings, showsAll: Bool) -> HTTPResponse {
    let all = SendbirdWebhookSettings.categories
    let isAll = settings.events.contains { $0.utf8.elementsEqual("*".utf8) }
    return SendbirdResource.answer { json in
      json.member("webhook") { json in
        json.member("enabled", settings.isEnabled)
        json.member("url", settings.url)
        json.member("include_members", settings.includesMembers)
        json.member("enabled_events", strings: isAll ? all : settings.events)
        if showsAll { json.member("all_webhook_categories", strings: all) }
      }
    }
  }
}
