package import GatewayCore
package import GatewayRuntime

/// The program behind a proxy's port: everything goes to the route's target.
package struct ProxySite: Site {
  private let route: ProxyRoute
  private let clients: ClientNetworks
  private let guarding: PageGuard

  /// - Parameters:
  ///   - route: The way to the target.
  ///   - networks: The networks that clients may come from; nil for all.
  ///   - guarding: Refuses requests of web pages that are none of the user's.
  package init(_ route: ProxyRoute, from networks: [IPNetwork]? = nil, guarding: PageGuard) {
    self.route = route
    clients = ClientNetworks(networks)
    self.guarding = guarding
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
    if let refusal = clients.refusal(of: request.peer) { return refusal }
    // The target sees another Host and the fields that the proxy adds, so it cannot recognise a foreign page itself.
    guard let error = guarding.refusal(of: request) else { return nil }
    let advice =
      error.isSame(as: .hostRefused)
      ? "Host is no name of this proxy; if clients use it, add --allowed-host NAME"
      : "a page of another machine may not use the fields or the certificate that this proxy adds"
    return ProxyRefusal(error.name, error.httpStatus, advice)
  }

  package func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse {
    ProxyRefusal(error.name, error.httpStatus, error.message).response
  }

  package func passesBody(of request: HTTPRequest) -> Bool { true }
}
