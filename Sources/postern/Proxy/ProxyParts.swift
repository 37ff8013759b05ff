import GatewayCore
import GatewayProxy
import GatewayRuntime
import GatewayServer
import GatewaySpace

/// The parts of a running proxy. Made on its loop.
///
/// `@unchecked Sendable`: what it has is used only on the loop.
final class ProxyParts: @unchecked Sendable {
  /// The own route, to `--to`; nil without one.
  let route: ProxyRoute?
  /// The journal and the faults of that route; nil without a control port.
  let control: ProxyControl?
  /// The recording of that route, and its file; nil without one.
  let recording: RunningRecording?
  /// The host of the routes that orders make; nil if none may be made.
  let host: RouteHost?
  let spaces: Spaces?
  /// The program behind the proxy's port.
  let site: any Site
  /// The log of orders.
  let orders: LoopLog
  /// The lines about refused tunnels. They have a budget of their own, so that a client cannot silence those about the target.
  let refusedTunnels: ProxyFailures

  init(_ options: ProxyOptions, on loop: SocketLoop) {
    orders = LoopLog(OperatorLog(level: .info, format: .text).gateway, on: loop.events)
    let (dialer, failures) = (SocketDialer(on: loop), ProxyFailures(on: loop.events))
    let refusedTunnels = ProxyFailures(on: loop.events)
    self.refusedTunnels = refusedTunnels
    let host = options.routes.map { RouteHost(options, $0, on: loop, dialer, failures, refusedTunnels) }
    self.host = host
    spaces = host?.spaces()
    let control =
      options.target == nil
      ? nil
      : options.control?.control(on: loop.events, seed: options.seed)
        ?? options.recording.map { _ in ProxyControl(recordingOn: loop.events, seed: options.seed) }
    self.control = control
    recording = control.flatMap { control in options.recording?.begin(of: control.journal) }
    route = options.target.map { target in
      let load = host?.load(on: target) ?? HostLoad(options.limits, on: loop.events)
      var loads = [Name(target.dial.host): load]
      let others = options.others.map { other in
        let name = Name(other.dial.host)
        let load = loads[name] ?? host?.load(on: other) ?? HostLoad(options.targets.limits(for: other), on: loop.events)
        loads[name] = load
        return (target: other, load: load)
      }
      return ProxyRoute(
        to: target, by: dialer, on: loop.events, load: load,
        fields: ForwardedFields(via: options.via, replacing: options.replacements),
        allowsStorms: options.targets.allowsStorms(to: target.dial.host), control: control,
        others: others
      ) { failures.report($0) }
    }
    let addsSecrets = options.targets.showsCertificate || !options.replacements.isEmpty
    let own: any Site =
      route.map {
        ProxySite($0, from: options.networks, guarding: options.guarding(to: options.target, addsSecrets: addsSecrets))
      }
      ?? NoRouteSite()
    site = spaces.map { SpacesSite(own, $0) } ?? own
  }
}
