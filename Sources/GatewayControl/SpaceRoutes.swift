internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime
internal import GatewaySpace

/// The resources for creating, finding and ending hosted spaces.
struct SpaceRoutes {
  let spaces: Spaces

  private static let pageMax = 1000
  /// The query parameters of the list.
  static let listParameters = ["limit", "after"]

  static let noSuchSpace = GatewayError.notFound.detailed("there is no such space now; GET /spaces lists them")

  var routes: [HTTPRoute] {
    [
      HTTPRoute("GET", "/spaces") { request, _ in list(request) },
      HTTPRoute("POST", "/spaces") { request, _ in await make(request) },
      HTTPRoute("GET", "/spaces/{name}") { _, parameters in
        guard let space = spaces[parameters["name"]] else { return ControlAnswer.error(Self.noSuchSpace) }
        return Self.answer { Self.members(of: space, to: &$0) }
      },
      HTTPRoute("DELETE", "/spaces/{name}") { _, parameters in await end(parameters["name"]) },
    ]
  }

  private func list(_ request: HTTPRequest) -> HTTPResponse {
    guard let limit = Int(request.parameter("limit") ?? "100"), (1...Self.pageMax).contains(limit) else {
      return ControlAnswer.error(.invalidParameter.detailed("limit must be 1 to \(Self.pageMax)"))
    }
    let page = spaces.all(after: request.parameter("after").map { Name($0) }, limit: limit)
    return Self.answer(capacity: 128 + page.count * 1_024) { json in
      // The value of `after` for the next page; absent on the last.
      if page.count == limit, let last = page.last { json.member("next", last.name.text) }
      json.name("spaces")
      json.beginArray()
      for space in page { Self.write(space, to: &json) }
      json.endArray()
    }
  }

  private func make(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(GatewayError) {
      let space = try await spaces.make(try MakeSpaceOrder.space(request))
      // Only the answer to the creator contains the secret.
      return Self.answer(201) { Self.members(of: space, secret: space.secret, to: &$0) }
    } catch {
      return ControlAnswer.error(error)
    }
  }

  private func end(_ name: String) async -> HTTPResponse {
    guard let space = spaces[name] else { return ControlAnswer.error(Self.noSuchSpace) }
    let connections = space.hosted.connectionCount
    await spaces.end(space)
    return Self.answer { json in
      json.member("connections", Int64(connections))
      json.member("name", name)
    }
  }

  // MARK: Answers

  /// Returns an answer without an encoder, which takes longer than the rest of the creation of a small space.
  private static func answer(
    _ status: Int = 200, capacity: Int = 1_024, _ members: (inout JSONWriter) -> Void
  ) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [HTTPField("content-type", "application/json")],
      body: JSONWriter.object(capacity: capacity, members))
  }

  private static func write(_ space: NamedSpace, to json: inout JSONWriter) {
    json.beginObject()
    members(of: space, to: &json)
    json.endObject()
  }

  /// Writes a hosted space in JSON.
  private static func members(of space: NamedSpace, secret: String? = nil, to json: inout JSONWriter) {
    json.member("connections", Int64(space.hosted.connectionCount))
    json.name("frozen")
    json.bool(space.hosted.isFrozen)
    json.member("http_url", space.httpURL)
    json.name("idle_s")
    json.number(space.hosted.limits.idleTime.inSeconds)
    json.member("name", space.name.text)
    json.member("port", Int64(space.port.number))
    if let secret { json.member("secret", secret) }
    if let upstream = space.hosted.content.upstream { json.member("upstream", upstream) }
    json.member("url", space.url)
    json.name("urls")
    json.beginObject()
    for (name, url) in space.urls.sorted(by: { $0.key < $1.key }) {
      json.name(name)
      json.string(url)
    }
    json.endObject()
  }
}
