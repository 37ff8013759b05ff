import GatewayCore
import GatewayKit
import GatewayProcess
import GatewayProxy
import GatewayRuntime
import GatewayServer
import GatewaySpace

/// The host of a proxy's routes: it makes them by orders, and knows the load on each named host. Only on its loop.
///
/// `@unchecked Sendable`: used only on its loop.
final class RouteHost: @unchecked Sendable {
  private let options: ProxyOptions
  private let routes: RouteOptions
  private let loop: SocketLoop
  private let dialer: SocketDialer
  private let failures: ProxyFailures
  private let refusedTunnels: ProxyFailures
  private let log = OperatorLog(level: .info, format: .text).gateway
  /// The load on hosts that are not this machine, which the command line names.
  private var loads: [Name: HostLoad] = [:]
  /// The ports of this process, to which no route may lead.
  private var ports: Set<Int> = []

  init(
    _ options: ProxyOptions, _ routes: RouteOptions, on loop: SocketLoop, _ dialer: SocketDialer,
    _ failures: ProxyFailures, _ refusedTunnels: ProxyFailures
  ) {
    self.options = options
    self.routes = routes
    self.loop = loop
    self.dialer = dialer
    self.failures = failures
    self.refusedTunnels = refusedTunnels
  }

  /// Returns the table of the routes, which makes them by this host.
  func spaces() -> Spaces {
    Spaces(on: loop.events, countMax: routes.countMax, journalBytesMax: routes.journalBytesMax) { order, name in
      try self.plan(order, name)
    }
  }

  /// Notes that `ports` belong to this process.
  func own(_ ports: [Int]) { self.ports.formUnion(ports) }

  /// Returns the load on the host of a target, which all routes to a host share unless it is this machine.
  func load(on target: ProxyTarget) -> HostLoad {
    if !target.isLocal, let load = loads[Name(target.dial.host)] { return load }
    let load = HostLoad(options.targets.limits(for: target), on: loop.events)
    if !target.isLocal { loads[Name(target.dial.host)] = load }
    return load
  }

  private func plan(_ order: SpaceOrder, _ name: Name) throws -> SpacePlan {
    try SpaceListening.checkPort(of: order, allowsLow: routes.allowsLowPorts)
    guard !order.isFrozen, order.wall == nil else {
      throw GatewayError.clockIsReal.detailed("leave out frozen and wall, and use tokens of a few seconds")
    }
    let (address, target) = try self.target(of: order)
    let reading = try routes.read(order.settings, target: allowed)
    let wire = reading.wire ?? options.control?.wire
    let others = try OrderedSettings.reading { try ProxyAddress.others(reading.others, address) }.map(allowed)
    var limits = HostedLimits()
    if let idleTime = order.idleTime { limits.idleTime = idleTime }
    let isOwn = options.targets.isOwn(address)
    let replaced = Set(reading.fields.map { Name($0.name) })
    let inherited = isOwn ? options.replacements.filter { !replaced.contains(Name($0.name)) } : []
    let fields = ForwardedFields(via: options.via, replacing: inherited + reading.fields)
    let addsSecrets = !fields.replacements.isEmpty || isOwn && options.targets.showsCertificate
    let guarding = options.guarding("\(name).localhost", to: target, addsSecrets: addsSecrets)
    let log = GatewayLog(level: log.level) { [log] event in
      var event = event
      event.fields.insert(.init("space", name.text), at: 0)
      log.write(event)
    }
    let seed = order.seed ?? ProxyOptions.newSeed()
    return SpacePlan(
      content: { [self] loop, limits in
        let control = ProxyControl(
          on: loop, wire: wire, tokens: reading.tokens.map { TokenSightings($0.watch, at: $0.target, on: loop) },
          bytes: limits.journalBytes, payloadBytes: limits.journalPayloadBytes, seed: seed, log: log)
        let route = ProxyRoute(
          to: target, by: dialer, on: loop, load: load(on: target), fields: fields,
          allowsStorms: options.targets.allowsStorms(to: address.host), control: control,
          others: others.map { ($0, load(on: $0)) }
        ) { [failures] in failures.report($0) }
        return HostedRoute(route, control, to: address.text, from: options.networks, guarding: guarding)
      },
      listen: { [self] site in try await listen(site, to: target, onPort: order.port) })
  }

  /// Returns the server that the order names, or that of `--to`. Throws a `GatewayError` if it may not be reached.
  private func target(of order: SpaceOrder) throws -> (ProxyAddress, ProxyTarget) {
    guard let address = try order.upstream.map(Self.address) ?? options.targets.own else {
      throw GatewayError.invalidParameter.detailed("upstream is needed, since the proxy was started without --to")
    }
    return (address, try allowed(address))
  }

  /// Returns the server of that address. Throws a `GatewayError` if no route may lead there.
  private func allowed(_ address: ProxyAddress) throws -> ProxyTarget {
    guard let target = options.targets.target(address) else {
      throw GatewayError.hostNotNamed.detailed(
        "\(address.host) is no target of this proxy; start it with --i-may-proxy \(address.host)")
    }
    guard !target.isLocal || !ports.contains(address.port) else {
      throw GatewayError.invalidParameter.detailed("port \(address.port) of this machine is this proxy's own")
    }
    guard !target.isLocal || options.control?.isLocal == true || options.targets.names(address.host) else {
      throw GatewayError.hostNotNamed.detailed(
        "the control port can be reached from other machines, so --to or --i-may-proxy has to name \(address.host)")
    }
    return target
  }

  private static func address(_ text: String) throws -> ProxyAddress {
    guard text.utf8.count <= addressMax else {
      throw GatewayError.invalidParameter.detailed("upstream has more than \(addressMax) bytes")
    }
    return try OrderedSettings.reading { try ProxyAddress(Arguments.Value(text: text, source: "upstream")) }
  }

  private static let addressMax = 512

  private nonisolated(nonsending) func listen(
    _ site: any Site, to target: ProxyTarget, onPort port: Int
  ) async throws -> SpacePort {
    var settings = options.listener
    settings.tunnels = options.tunnels(to: target, refusedTunnels)
    settings.port = port
    settings.limits.connectionsMax = HostedLimits().connectionsMax + ProxyCommand.requestsMax
    settings.allowance = ConnectionAllowance()
    let listeners = try await SpaceListening.listen(onPort: port) { [settings] in
      [try await Listener.start(settings, serving: site, on: [loop])]
    }
    let number = listeners[0].port
    ports.insert(number)
    return SpacePort(
      host: ProxyCommand.literal(settings.host), number: number, isSecure: settings.tls != nil,
      end: { [self] in
        for listener in listeners { await listener.end() }
        ports.remove(number)
      })
  }
}
