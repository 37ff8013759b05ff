internal import GatewayCore
internal import GatewayJSON
internal import GatewaySpace

/// A hosted space, the answer of `POST /spaces` and `GET /spaces/t17`.
package struct SpaceBody: Decodable, Sendable {
  package let connections: Int
  package let frozen: Bool
  package let httpURL: String
  package let idleS: Double
  package let name: String
  package let port: Int
  /// The secret that signs its tokens, where it was made for this space; only its creator is told.
  package let secret: String?
  /// The address that a route leads to; absent for a gateway.
  package let upstream: String?
  package let url: String
  /// The addresses for clients, by the names of their wires, e.g. `ws://127.0.0.1:40123`.
  package let urls: [String: String]

  private enum CodingKeys: String, CodingKey {
    case connections, frozen, name, port, secret, upstream, url, urls
    case httpURL = "http_url"
    case idleS = "idle_s"
  }

  init(_ space: NamedSpace, secret: String? = nil) {
    connections = space.hosted.connectionCount
    frozen = space.hosted.isFrozen
    httpURL = space.httpURL
    idleS = space.hosted.limits.idleTime.inSeconds
    name = space.name.text
    port = Int(space.port.number)
    self.secret = secret
    upstream = space.hosted.content.upstream
    url = space.url
    urls = space.urls
  }

  /// Writes the members without an encoder, which takes longer than the rest of the creation of a small space.
  func write(to json: inout JSONWriter) {
    json.member("connections", Int64(connections))
    json.member("frozen", frozen)
    json.member("http_url", httpURL)
    json.name("idle_s")
    json.number(idleS)
    json.member("name", name)
    json.member("port", Int64(port))
    if let secret { json.member("secret", secret) }
    if let upstream { json.member("upstream", upstream) }
    json.member("url", url)
    json.member("urls") { json in
      for (name, url) in urls.sorted(by: { $0.key < $1.key }) {
        json.name(name)
        json.string(url)
      }
    }
  }
}
