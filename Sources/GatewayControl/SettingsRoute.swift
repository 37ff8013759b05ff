internal import FoundationEssentials
internal import GatewayCore

/// The resource with the gateway's settings, for whoever measures it: how long a refresh may take, for instance.
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
