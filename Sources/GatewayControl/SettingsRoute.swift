internal import FoundationEssentials
internal import GatewayCore

/// What the gateway is set to, for whoever measures it.
struct SettingsRoute {
  private let description: GatewayDescription

  init(_ description: GatewayDescription) {
    self.description = description
  }

  var route: HTTPRoute {
    HTTPRoute("GET", "/settings") { [description] _, _ in
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      guard let body = try? encoder.encode(description) else { return HTTPResponse(status: 500) }
      return HTTPResponse(status: 200, headers: [HTTPField("content-type", "application/json")], body: Array(body))
    }
  }
}
