import GatewayCore
import GatewayJSON
import GatewayKit

/// The parrot's HTTP API: its words, `GET /parrot/words`, and its own token endpoint.
struct ParrotRoutes: Sendable {
  let cage: ParrotCage
  let authenticator: ParrotAuthenticator
  let provider: TokenProvider
  let services: any GatewayServices

  var routes: [HTTPRoute] {
    let group = RouteGroup { (error: GatewayError) in ParrotDialect().response(for: error) }
    return [
      group.route("GET", "/parrot/words") { _, _ throws(GatewayError) in try await words() },
      group.route("POST", "/parrot/words") { request, _ throws(GatewayError) in try await teach(request) },
      group.route("POST", "/parrot/token", pages: provider.pages) { request, _ throws(GatewayError) in
        try await makeToken(request)
      },
    ]
  }

  private func words() async throws(GatewayError) -> HTTPResponse {
    let words = try await cage.words(at: services.wallTime)
    let answer = JSONWriter.object { json in json.member("words", strings: words.lazy.map(\.word)) }
    return HTTPResponse(status: 200, json: answer)
  }

  /// Teaches a word. The caller must have a connection, as over the socket.
  private func teach(_ request: HTTPRequest) async throws(GatewayError) -> HTTPResponse {
    let teacher = try await authenticator.token(of: request, for: ParrotDialect.name, on: services)
    guard await services.isConnected(teacher.user) else { throw .connectionRequired }
    let word = try JSONObject.read(request.body) { (body) throws(GatewayError) in try body.word() }
    let isNew = try await cage.learn(word, from: teacher.user, at: services.wallTime)
    services.announce(to: .users([teacher.user]), ParrotDialect.squawk(word, isNew: isNew), in: ParrotDialect.name)
    return HTTPResponse(status: isNew ? 201 : 200, json: JSONWriter.object { $0.member("is_new", isNew) })
  }

  private func makeToken(_ request: HTTPRequest) async throws(GatewayError) -> HTTPResponse {
    try provider.admit(request)
    let name = try JSONObject.read(request.body) { (body) throws(GatewayError) in
      try body.string("name", bytes: 1...UserID.lengthMax)
    }
    guard let name, UserID(name) != .anonymous else { throw .invalidParameter.detailed("name must be a user's") }
    let order = TokenOrder(user: UserID(name), kind: .regular, life: nil, calls: nil, scheme: ParrotDialect.name)
    do throws(TokenRefusal) {
      let token = try await provider.mint(order).credentials.token
      return HTTPResponse(status: 200, json: JSONWriter.object { $0.member("token", token) })
    } catch {
      return error.response(ParrotDialect().response)
    }
  }
}

extension JSONObject {
  /// Reads the word to teach, over the socket and over HTTP.
  func word() throws(GatewayError) -> String {
    guard let word = try string("word", bytes: 1...100) else {
      throw .invalidParameter.detailed("word is missing; it must be a string")
    }
    return word
  }
}
