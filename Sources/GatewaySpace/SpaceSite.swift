package import GatewayCore
package import GatewayRuntime

/// The program behind a space's port: the gateway's own site, with the space's faults if it may have any.
package struct SpaceSite: Site {
  private let space: Space
  private let inner: GatewaySite

  init(_ space: Space, finding router: any RouteFinding) {
    self.space = space
    inner = GatewaySite(space.gateway, finding: router)
  }

  package func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { space.admit(upgrade, on: loop) }

  package func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    await inner.respond(to: request, on: loop)
  }

  /// Returns the application that a request names, in the words of the path's wire; nil for none.
  func application(in request: HTTPRequest) -> String? {
    let bindings = space.gateway.bindings
    let binding =
      bindings.first { $0.dialect.accepts(request) } ?? bindings.last { $0.dialect.owns(path: request.path) }
    return binding?.dialect.application(in: request)
  }

  package func uploadBytesMax(for request: HTTPRequest) -> Int? { inner.uploadBytesMax(for: request) }

  package func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse {
    inner.refusal(of: error, for: request)
  }
}
