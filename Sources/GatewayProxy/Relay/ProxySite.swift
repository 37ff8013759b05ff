package import GatewayCore
package import GatewayRuntime

/// The program behind a proxy's port: everything goes to the route's target.
package struct ProxySite: Site {
  private let route: ProxyRoute
  /// The networks that clients may come from; nil for all.
  private let networks: [IPNetwork]?

  package init(_ route: ProxyRoute, from networks: [IPNetwork]? = nil) {
    self.route = route
    self.networks = networks
  }

  package func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    if let refusal = refusal(of: upgrade) { return .refuse(refusal.response) }
    return route.admit(upgrade)
  }

  package nonisolated(nonsending) func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    if let refusal = refusal(of: request) { return refusal.response }
    return await route.respond(to: request)
  }

  private func refusal(of request: HTTPRequest) -> ProxyRefusal? {
    guard let networks else { return nil }
    if let address = IPAddress(request.peer), address.isLoopback || networks.contains(where: { $0.contains(address) }) {
      return nil
    }
    return ProxyRefusal("client_not_allowed", 403, "\(request.peer) is in no network of --allow-from")
  }

  package func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse {
    ProxyRefusal(error.name, error.httpStatus, error.message).response
  }

  package func uploadBytesMax(for request: HTTPRequest) -> Int? { ProxyRoute.bodyBytesMax }
}
