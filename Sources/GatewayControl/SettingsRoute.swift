internal import GatewayCore
internal import GatewayJSON

/// The resource with the gateway's settings, for programs that measure it.
struct SettingsRoute {
  private let description: GatewayDescription

  init(_ description: GatewayDescription) {
    self.description = description
  }

  var route: HTTPRoute {
    HTTPRoute("GET", "/settings") { [description] _, _ in
      guard let body = try? JSONCoder(names: .snakeCase, layout: .sorted).encode(description) else {
        return HTTPResponse(status: 500)
      }
      return HTTPResponse(status: 200, headers: [HTTPField("content-type", "application/json")], body: body)
    }
  }
}
