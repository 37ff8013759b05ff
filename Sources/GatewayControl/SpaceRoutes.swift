internal import GatewayCore
internal import GatewayRuntime
internal import GatewaySpace

/// Making, finding and ending hosted spaces.
struct SpaceRoutes {
  let spaces: Spaces

  private static let pageMax = 1000
  /// What the list may be asked with.
  static let listParameters = ["limit", "after"]

  static let noSuchSpace = GatewayError.notFound.detailed("there is no such space, or no longer")

  var routes: [HTTPRoute] {
    [
      HTTPRoute("GET", "/spaces") { request, _ in list(request) },
      HTTPRoute("POST", "/spaces") { request, _ in await make(request) },
      HTTPRoute("GET", "/spaces/{name}") { _, parameters in
        spaces[parameters["name"]].map { ControlAnswer.json(SpaceBody($0)) } ?? ControlAnswer.error(Self.noSuchSpace)
      },
      HTTPRoute("DELETE", "/spaces/{name}") { _, parameters in await end(parameters["name"]) },
    ]
  }

  private struct Page: Encodable {
    let spaces: [SpaceBody]
    /// What `after` takes to get the next page; absent on the last.
    let next: String?
  }

  private func list(_ request: HTTPRequest) -> HTTPResponse {
    guard let limit = Int(request.parameter("limit") ?? "100"), (1...Self.pageMax).contains(limit) else {
      return ControlAnswer.error(.invalidParameter.detailed("limit must be 1 to \(Self.pageMax)"))
    }
    let page = spaces.all(after: request.parameter("after").map { Name($0) }, limit: limit)
    let next = page.count == limit ? page.last?.name.text : nil
    return ControlAnswer.json(Page(spaces: page.map { SpaceBody($0) }, next: next))
  }

  private func make(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(GatewayError) {
      let space = try await spaces.make(try SpaceOrderBody.order(request))
      return ControlAnswer.json(SpaceBody(space, secret: space.secret), status: 201)
    } catch {
      return ControlAnswer.error(error)
    }
  }

  /// What the end of a space has closed.
  private struct Ended: Encodable {
    let name: String
    let connections: Int
  }

  private func end(_ name: String) async -> HTTPResponse {
    guard let space = spaces[name] else { return ControlAnswer.error(Self.noSuchSpace) }
    let connections = space.hosted.connectionCount
    await spaces.end(space)
    return ControlAnswer.json(Ended(name: name, connections: connections))
  }
}

/// A hosted space in JSON.
private struct SpaceBody: Encodable {
  let name: String
  let url: String
  let httpURL: String
  let port: Int
  let urls: [String: String]
  let frozen: Bool
  let connections: Int
  let idleS: Double
  /// Told to whoever made it, and to nobody else.
  let secret: String?

  enum CodingKeys: String, CodingKey {
    case name, url, port, urls, frozen, connections, secret
    case httpURL = "http_url"
    case idleS = "idle_s"
  }

  init(_ space: NamedSpace, secret: String? = nil) {
    name = space.name.text
    url = space.url
    httpURL = space.httpURL
    port = space.port.number
    urls = space.urls
    frozen = space.hosted.isFrozen
    connections = space.hosted.connectionCount
    idleS = space.hosted.limits.idleTime.inSeconds
    self.secret = secret
  }
}
