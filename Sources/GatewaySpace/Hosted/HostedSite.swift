package import GatewayCore
package import GatewayRuntime

/// The program behind a port of the host, for a hosted space: the space's own site, run on the space's loop.
package struct HostedSite: Site {
  let space: HostedSpace

  package func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    space.host.preconditionOnLoop()
    if let refusal = space.refusal { return .refuse(self.refusal(of: refusal, for: upgrade)) }
    switch space.loop.asCurrent({ space.inner.admit(upgrade, on: space.loop) }) {
    case .accept(let handler, let subprotocol):
      return .accept(space.keep(handler), subprotocol: subprotocol)
    case .refuse(let response):
      space.use()
      return .refuse(response.dated(by: space.loop))
    case .ignore:
      space.use()
      return .ignore
    case .later(let upgrade):
      space.use()
      upgrade.wrap { [space] in space.keep($0) }
      return .later(upgrade)
    }
  }

  package nonisolated(nonsending) func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    guard !space.isEnding else { return refusal(of: .draining, for: request) }
    var response = await space.perform { [inner = space.inner, space] in
      await inner.respond(to: request, on: space.loop).dated(by: space.loop)
    }
    response.stream = response.stream.map(space.stream)
    return response
  }

  package func uploadBytesMax(for request: HTTPRequest) -> Int? { space.inner.uploadBytesMax(for: request) }

  package func passesBody(of request: HTTPRequest) -> Bool { space.inner.passesBody(of: request) }

  package func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse {
    space.inner.refusal(of: error, for: request).dated(by: space.loop)
  }
}
