package import GatewayCore
package import GatewayRuntime

/// The port of a gateway or a proxy, which also serves hosted spaces.
///
/// A space is found by the path (`/s/t17/v1/connect`), by the host's name (`t17.localhost`), or by the application that a
/// vendor's client names (`api_key=t17`). Every other request is the port's own.
package struct SpacesSite: Site {
  private let own: any Site
  private let application: @Sendable (HTTPRequest) -> String?
  private let spaces: Spaces
  private let isReachable: Bool

  private static let pathPrefix = "/s/"
  private static let hostSuffix = ".localhost"

  /// Creates the site of a gateway's port. The spaces are found there only if `isReachable`: if it is served on their host
  /// alone.
  package init(_ own: SpaceSite, _ spaces: Spaces, isReachable: Bool) {
    self.init(own, spaces, isReachable: isReachable) { own.application(in: $0) }
  }

  /// Creates the site of a port on the spaces' host, where no application is read in requests.
  package init(_ own: any Site, _ spaces: Spaces) {
    self.init(own, spaces, isReachable: true) { _ in nil }
  }

  private init(
    _ own: any Site, _ spaces: Spaces, isReachable: Bool, application: @escaping @Sendable (HTTPRequest) -> String?
  ) {
    self.own = own
    self.application = application
    self.spaces = spaces
    self.isReachable = isReachable
  }

  package func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    switch place(of: upgrade) {
    case .own: return own.admit(upgrade, on: loop)
    case .space(let site, let inner): return site.admit(inner, on: loop)
    case .nowhere(let error): return .refuse(own.refusal(of: error, for: upgrade))
    }
  }

  package func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    switch place(of: request) {
    case .own: return await own.respond(to: request, on: loop)
    case .space(let site, let inner): return await site.respond(to: inner, on: loop)
    case .nowhere(let error): return own.refusal(of: error, for: request)
    }
  }

  package func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse {
    switch place(of: request) {
    case .own, .nowhere: own.refusal(of: error, for: request)
    case .space(let site, let inner): site.refusal(of: error, for: inner)
    }
  }

  package func uploadBytesMax(for request: HTTPRequest) -> Int? {
    switch place(of: request) {
    case .own: own.uploadBytesMax(for: request)
    case .space(let site, let inner): site.uploadBytesMax(for: inner)
    case .nowhere: nil
    }
  }

  package func passesBody(of request: HTTPRequest) -> Bool {
    switch place(of: request) {
    case .own: own.passesBody(of: request)
    case .space(let site, let inner): site.passesBody(of: inner)
    case .nowhere: false
    }
  }

  private enum Place {
    case own
    /// A space's, with the request as the space sees it.
    case space(HostedSite, HTTPRequest)
    case nowhere(GatewayError)
  }

  private func place(of request: HTTPRequest) -> Place {
    var inner = request
    let name: String
    if request.path.hasPrefix(Self.pathPrefix) {
      let rest = request.path.dropFirst(Self.pathPrefix.count)
      name = String(rest.prefix { $0 != "/" })
      inner.path = rest.contains("/") ? String(rest.dropFirst(name.count)) : "/"
      inner.mount = Self.pathPrefix + name
      inner.rawTarget = request.rawTarget.flatMap { Self.target($0, below: Self.pathPrefix + name) }
    } else if isReachable, let space = application(request).flatMap({ spaces[$0] }) {
      return .space(space.hosted.site, request)
    } else if let host = request.host.flatMap({ Authority($0) })?.host, host.hasSuffix(Self.hostSuffix) {
      name = String(host.dropLast(Self.hostSuffix.count))
    } else {
      return .own
    }
    guard isReachable else {
      return .nowhere(.notFound.detailed("with more than one loop a space is found by its own port only (--loops 1)"))
    }
    guard let space = spaces[name] else {
      return .nowhere(.notFound.detailed("there is no such space as '\(name)' now; GET /spaces lists them"))
    }
    return .space(space.hosted.site, inner)
  }

  /// Returns the path and the query below `prefix`; nil if the target does not begin so.
  private static func target(_ target: String, below prefix: String) -> String? {
    guard target.utf8.starts(with: prefix.utf8) else { return nil }
    let rest = Substring(target.utf8.dropFirst(prefix.utf8.count))
    return rest.utf8.first == UInt8(ascii: "/") ? String(rest) : "/" + rest
  }
}
