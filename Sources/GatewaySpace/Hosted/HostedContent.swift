internal import GatewayCore
package import GatewayFaults
package import GatewayRuntime

/// The inside of a ``HostedSpace``: a gateway, or a proxy's route to one. Only on the space's loop.
package protocol HostedContent: AnyObject, Sendable {
  /// The target of an operator's orders.
  var controllable: any Controllable { get }

  /// The faults; nil if none may be ordered.
  var faults: FaultBook? { get }

  /// The program behind the space's port, created anew by each call.
  var hostedSite: any Site { get }

  /// The address of the gateway behind a route, for people; nil if the content is the gateway itself.
  var upstream: String? { get }

  /// The paths of sockets, by the names of their wires.
  var socketPaths: [String: String] { get }

  /// Whether it has connections that its host does not know, e.g. those to the gateway behind a route.
  var isBusy: Bool { get }

  /// Prepares it, before the first request.
  func begin() async throws

  /// Admits no more clients. Its host closes the sockets of clients after this call.
  ///
  /// - Parameter whenIdle: Called each time when it is not busy any more.
  func beginEnd(whenIdle: @escaping () -> Void)

  /// Drops the connections that are left.
  func abort()

  /// Ends the waits for its journal: nothing more happens.
  func endWaits()

  /// Releases its resources, after nothing refers to it any more.
  func close()
}

extension Space: HostedContent {
  package var controllable: any Controllable { gateway }

  package var hostedSite: any Site { frugalSite }

  package var upstream: String? { nil }

  package var socketPaths: [String: String] {
    gateway.bindings.reduce(into: [:]) { paths, binding in
      if let path = binding.dialect.socketPath { paths[binding.dialect.name] = path }
    }
  }

  package var isBusy: Bool { false }

  package func begin() async throws { try await prepare() }

  package func beginEnd(whenIdle: @escaping () -> Void) {}

  package func abort() {}

  package func endWaits() {
    gateway.journal?.end()
    faults?.end()
  }

  package func close() { gateway.close() }
}
