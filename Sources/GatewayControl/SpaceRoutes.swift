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
        return Self.answer { SpaceBody(space).write(to: &$0) }
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
      json.member("spaces", objects: page) { SpaceBody($0).write(to: &$1) }
    }
  }

  private func make(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(GatewayError) {
      let space = try await spaces.make(try MakeSpaceOrder.space(request))
      // Only the answer to the creator contains the secret.
      return Self.answer(201) { SpaceBody(space, secret: space.secret).write(to: &$0) }
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

  /// Returns an answer that is written without an encoder.
  private static func answer(
    _ status: Int = 200, capacity: Int = 1_024, _ members: (inout JSONWriter) -> Void
  ) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [HTTPField("content-type", "application/json")],
      body: JSONWriter.object(capacity: capacity, members))
  }
}
