internal import FoundationEssentials
package import GatewayCore

/// What the gateway is set to, for whoever measures it.
package struct SettingsRoute {
  private let description: GatewayDescription

  package init(_ description: GatewayDescription) {
    self.description = description
  }

  package var route: HTTPRoute {
    HTTPRoute("GET", "/settings") { [description] _, _ in
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      guard let body = try? encoder.encode(description) else { return HTTPResponse(status: 500) }
      return HTTPResponse(status: 200, headers: [HTTPField("content-type", "application/json")], body: Array(body))
    }
  }
}
