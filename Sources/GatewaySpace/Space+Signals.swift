package import GatewayCore
internal import GatewayIdentity

extension Space: SignalDoor {
  package nonisolated(nonsending) func answer(signal request: HTTPRequest) async -> HTTPResponse {
    guard case .found(let route, let parameters) = HTTPRouter(signalRoutes).match(method: "POST", path: request.path)
    else { return HTTPResponse(status: 404) }
    return await route.handler(request, parameters)
  }
}
