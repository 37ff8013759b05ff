import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayProxy
import GatewayRuntime
import GatewayServer
import GatewayWires

/// The application's token endpoint behind a proxy, as its flags say.
struct ProxyTokenOptions {
  let watch: TokenWatch
  /// The endpoint's server; nil for that of `--to`.
  private(set) var target: ProxyTarget?
  /// The endpoint for people, e.g. `POST /auth/token`.
  let text: String

  private static let tokenAt = "/token"

  /// Checks the flags; nil if no endpoint is named.
  init?(_ draft: ProxyControlDraft, proxied: [Arguments.Value]) throws {
    try self.init(draft) { host, port, isTLS, source in try Self.target(host, port, isTLS: isTLS, source, proxied) }
  }

  /// Checks the options of a route; nil if they name no endpoint. An order names no file.
  ///
  /// - Parameter target: Returns the endpoint's server, or throws if no route may lead there.
  init?(ofRoute draft: ProxyControlDraft, target: (ProxyAddress) throws -> ProxyTarget) throws {
    if let tokens = draft.tokens, !tokens.text.contains(bytesOf: "://") {
      throw UsageError("settings: 'tokens' takes an address as https://login.example/auth/token, and no file")
    }
    try self.init(draft) { host, port, isTLS, source in
      let shown = host.contains(":") ? "[\(host)]" : host
      let server = "\(isTLS ? "https" : "http")://\(shown)\(port.map { ":\($0)" } ?? "")"
      return try target(try ProxyAddress(Arguments.Value(text: server, source: source)))
    }
  }

  private init?(
    _ draft: ProxyControlDraft,
    server: (_ host: String, _ port: Int?, _ isTLS: Bool, _ source: String) throws -> ProxyTarget
  ) throws {
    switch (draft.tokens, draft.tokenRoute) {
    case (let tokens?, let route?): throw UsageError("\(tokens.source) and \(route.source) are both given; remove one")
    case (nil, nil):
      if let place = draft.tokenAt { throw UsageError("\(place.source) goes with --token-route, or --tokens URL") }
      return nil
    case (nil, let route?):
      let parts = route.text.split(separator: " ")
      guard (1...2).contains(parts.count), let path = parts.last, path.utf8.first == UInt8(ascii: "/"),
        !path.utf8.contains(UInt8(ascii: "?"))
      else {
        throw UsageError(route.source, value: route.text, expected: "a route as /auth/token or 'POST /auth/token'")
      }
      let method = parts.count == 2 ? String(parts[0]) : nil
      watch = TokenWatch(method: method, path: String(path), tokenAt: try Self.place(draft.tokenAt))
      text = route.text
    case (let url?, nil) where url.text.contains(bytesOf: "://"):
      guard let address = WebAddress(url.text), ["http", "https"].contains(address.scheme), address.port != 0,
        !address.hasUser, address.query == nil, !address.hasFragment, !address.path.isEmpty
      else {
        throw UsageError(
          url.source, value: url.text, expected: "the endpoint's address as https://login.example/auth/token")
      }
      watch = TokenWatch(method: nil, path: address.path, tokenAt: try Self.place(draft.tokenAt))
      target = try server(address.host, address.port, Name(address.scheme) == Name("https"), url.source)
      text = url.text
    case (let file?, nil):
      if let place = draft.tokenAt { throw UsageError("\(place.source): the file of \(file.source) has the place") }
      let description = try TokensFile.read(file, secrets: [], wireTaken: [])
      guard description.places.count == 1 else {
        throw UsageError("\(file.source): its requests go to \(description.places.count) servers, and one is proxied")
      }
      watch = TokenWatch(description)
      target = try description.places[0].map { place in
        try server(place.host, place.port, place.isTLS, file.source)
      }
      text = description.name
    }
  }

  private static func place(_ value: Arguments.Value?) throws -> JSONPointer {
    let text = value?.text ?? tokenAt
    guard let pointer = JSONPointer(text), !text.isEmpty else {
      throw UsageError(value?.source ?? "--token-at", value: text, expected: "a JSON pointer as /access_token")
    }
    return pointer
  }

  /// Returns the server, if it may be asked.
  private static func target(
    _ host: String, _ port: Int?, isTLS: Bool, _ source: String, _ proxied: [Arguments.Value]
  ) throws -> ProxyTarget {
    let host = PinnedHost.plain(host)
    let isLocal = PinnedHost.isThisMachine(host)
    guard isLocal || proxied.contains(where: { Name(PinnedHost.plain($0.text)) == Name(host) }) else {
      throw UsageError(
        "\(source): \(host) is not this machine; if those who run it know of your test, add --i-may-proxy \(host)")
    }
    var dial = DialTarget(host: host, port: port ?? (isTLS ? 443 : 80), isTLS: isTLS)
    if PinnedHost.isBelowLocalhost(host) {
      dial.addresses = ["127.0.0.1", "::1"]
    } else if !isLocal {
      do {
        dial.addresses = try NameService.addresses(of: host)
      } catch {
        throw UsageError("\(source): \(error)")
      }
    }
    return ProxyTarget(dial, isLocal: isLocal)
  }
}
