internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The routes for the configuration of the vendor's clients and UI kits. Nothing is configured, so each kit uses its
/// defaults.
struct SendbirdKitRoutes: Sendable {
  private let services: any GatewayServices
  private let resource: SendbirdResource

  init(gate: SendbirdGate, services: any GatewayServices, rates: SendbirdRates? = nil) {
    self.services = services
    resource = SendbirdResource(gate: gate, services: services, rates: rates)
  }

  var routes: [HTTPRoute] {
    ["statistics", "notification_statistics"].map { name in
      // No login requests statistics; a client that sends them anyway gets an answer, and nothing is stored.
      resource.route("POST", "/v3/sdk/\(name)") { request throws(SendbirdError) in
        guard try request.body.array("log_entries", count: 10_000) != nil else { throw .missing("log_entries") }
        return SendbirdResource.answer { _ in }
      }
    } + [
      resource.route("GET", "/v3/sdk/ui_kit/configuration") { _ throws(SendbirdError) in
        SendbirdResource.answer { json in
          json.member("updated_at", 0)
          json.member("uikit_configurations") { json in
            json.member("common") { _ in }
            json.member("group_channel") { json in
              for part: StaticString in ["channel", "channel_list", "setting"] { json.member(part) { _ in } }
            }
            json.member("open_channel") { $0.member("channel") { _ in } }
          }
        }
      },
      resource.route("GET", "/v3/sdk/applications/settings") { _ throws(SendbirdError) in
        SendbirdResource.answer { json in
          json.member("configs") { _ in }
          json.member("has_more", false)
          json.member("next", "")
          json.member("ts", services.wallTime.milliseconds)
        }
      },
      resource.route("GET", "/v3/notifications/settings") { _ throws(SendbirdError) in
        SendbirdResource.answer { json in
          json.member("updated_at", 0)
          json.member("themes", strings: [])
        }
      },
      resource.route("GET", "/v3/notifications/templates") { _ throws(SendbirdError) in
        SendbirdResource.answer { json in
          json.member("templates", strings: [])
          json.member("has_more", false)
          json.member("next", "")
        }
      },
      resource.route("GET", "/v3/notifications/templates/{key}") { _ throws(SendbirdError) in
        throw .notFound("Template")
      },
    ]
  }
}
