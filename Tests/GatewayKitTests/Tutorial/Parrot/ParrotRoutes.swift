import GatewayCore
import GatewayJSON
import GatewayKit

/// The parrot's HTTP side.
struct ParrotRoutes: Sendable {
  let cage: ParrotCage
  let services: any GatewayServices

  var routes: [HTTPRoute] {
    let group = RouteGroup { (error: GatewayError) in ParrotDialect().response(for: error) }
    return [
      group.route("GET", "/parrot/words") { _, _ throws(GatewayError) in try await words() }
    ]
  }

  private func words() async throws(GatewayError) -> HTTPResponse {
    let words = try await cage.words(at: services.wallTime)
    let answer = JSONWriter.object { json in
      json.name("words")
      json.beginArray()
      for word in words { json.string(word.word) }
      json.endArray()
    }
    return HTTPResponse(status: 200, json: answer)
  }
}
