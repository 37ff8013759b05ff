package import GatewayCore
package import GatewayFaults
package import GatewayRuntime
internal import GatewaySpace
internal import GatewayWires
internal import Synchronization

/// A proxy's route as a hosted space: `POST /spaces` with `upstream` makes one.
///
/// `@unchecked Sendable`: used only on its loop.
package final class HostedRoute: HostedContent, @unchecked Sendable {
  private let route: ProxyRoute
  private let control: ProxyControl
  private let networks: [IPNetwork]?
  private let guarding: PageGuard
  package let upstream: String?
  private let end = RouteEnd()

  /// - Parameters:
  ///   - route: The way to the target.
  ///   - control: Its journal and its faults.
  ///   - upstream: The address of the target, for people.
  ///   - networks: The networks that clients may come from; nil for all.
  ///   - guarding: Refuses requests of web pages that are none of the user's.
  package init(
    _ route: ProxyRoute, _ control: ProxyControl, to upstream: String, from networks: [IPNetwork]?, guarding: PageGuard
  ) {
    self.route = route
    self.control = control
    self.upstream = upstream
    self.networks = networks
    self.guarding = guarding
  }

  package var controllable: any Controllable { route }

  package var faults: FaultBook? { control.faults }

  package var hostedSite: any Site {
    HostedRouteSite(inner: ProxySite(route, from: networks, guarding: guarding), end: end)
  }

  package var socketPaths: [String: String] {
    control.wire.map { [$0.name: $0.socketPath ?? "/"] } ?? [:]
  }

  package var isBusy: Bool { route.connectionCount > 0 }

  package func begin() async throws {}

  package func beginEnd(whenIdle: @escaping () -> Void) {
    end.begin()
    route.beginEnd(whenIdle: whenIdle)
  }

  package func abort() { route.abort() }

  package func endWaits() { control.end() }

  package func close() {}
}

/// The flag that a route ends, which a request that waits for the target looks at as at the departure of its client.
private final class RouteEnd: Sendable {
  private let hasBegun = Atomic(false)

  var isThere: Bool { hasBegun.load(ordering: .relaxed) }

  func begin() { hasBegun.store(true, ordering: .relaxed) }
}

/// The site of a hosted route. Requests that wait for the target end with the route.
private struct HostedRouteSite: Site {
  let inner: ProxySite
  let end: RouteEnd

  /// The caller of a request, who gives up when the route ends.
  private struct Caller: HTTPCaller {
    let caller: (any HTTPCaller)?
    let end: RouteEnd

    var hasGone: Bool { end.isThere || caller?.hasGone == true }
  }

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { inner.admit(upgrade, on: loop) }

  nonisolated(nonsending) func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    let caller = Caller(caller: HTTPCall.caller, end: end)
    var answer = await HTTPCall.$caller.withValue(caller) { await inner.respond(to: request, on: loop) }
    // A body that the end of the route cuts off is not taken for a whole one.
    answer.stream = answer.stream.map { [end] stream in
      let isCut: @Sendable () -> Bool = { stream.isCut() || stream.endsByItself && end.isThere }
      return HTTPStream(endsByItself: stream.endsByItself, isCut: isCut, stream.next)
    }
    guard end.isThere, answer.header(ProxyRefusal.field) != nil else { return answer }
    return ProxyRefusal("ending", 503, "the route ends").response
  }

  func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse {
    inner.refusal(of: error, for: request)
  }

  func passesBody(of request: HTTPRequest) -> Bool { inner.passesBody(of: request) }
}
