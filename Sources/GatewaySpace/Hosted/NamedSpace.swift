package import GatewayCore
internal import GatewayRuntime

/// A hosted space with its name and its port.
///
/// `@unchecked Sendable`: touched only on the host's thread.
package final class NamedSpace: @unchecked Sendable {
  package let name: Name
  package let hosted: HostedSpace
  package let port: SpacePort
  /// The secret that signs its tokens, where it was made for this space.
  package let secret: String?
  /// The description of its settings; nil for a route.
  package let description: GatewayDescription?
  /// The control port stores its routes for the space here.
  package var controlRouter: HTTPRouter?
  /// The callers that wait until it is gone.
  var waiters: [CheckedContinuation<Void, Never>] = []

  init(_ name: Name, _ hosted: HostedSpace, _ port: SpacePort, of plan: SpacePlan) {
    self.name = name
    self.hosted = hosted
    self.port = port
    secret = plan.secret
    description = hosted.space.flatMap { plan.description?($0.gateway.bindings) }
  }

  /// The address of its sockets, without a path.
  package var url: String { "\(port.isSecure ? "wss" : "ws")://\(port.host):\(port.number)" }

  package var httpURL: String { "\(port.isSecure ? "https" : "http")://\(port.host):\(port.number)" }

  /// The addresses for clients, by the names of their wires.
  package var urls: [String: String] { hosted.content.socketPaths.mapValues { url + $0 } }
}
