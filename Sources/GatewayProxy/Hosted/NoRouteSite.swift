package import GatewayCore
package import GatewayRuntime

/// The site of a proxy's port without `--to`: only hosted routes are found there.
package struct NoRouteSite: Site {
  private static let noRoute = ProxyRefusal(
    "no_route", 404, "this proxy has no --to; make a route with POST /spaces, and use its port, or its path /s/NAME/")

  package init() {}

  package func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { .refuse(Self.noRoute.response) }

  package nonisolated(nonsending) func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    Self.noRoute.response
  }

  package func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse {
    ProxyRefusal(error.name, error.httpStatus, error.message).response
  }
}
