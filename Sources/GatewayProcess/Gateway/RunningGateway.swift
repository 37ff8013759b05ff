internal import GatewayControl
internal import GatewayCore
internal import GatewayFaults
package import GatewayKit
package import GatewayRuntime
internal import GatewayServer
package import GatewaySpace
internal import GatewayStores

/// A gateway with its loops, listeners and control port, for `postern serve` and for test processes.
package final class RunningGateway: Sendable {
  package let gateway: Gateway
  /// The addresses that the gateway listens on, as host names or addresses.
  package let hosts: [String]
  package let port: Int
  package let controlPort: Int
  /// The events for a service of this gateway.
  let inbox: ServiceInbox
  let loops: [SocketLoop]
  private let listeners: [Listener]
  private let controlListener: Listener
  private let control: ControlSite
  /// The number and the name of this process among the processes with a common store; nil if it has the store for itself.
  package var node: (slot: Int, name: String)? { membership.node.map { ($0.life.node, $0.name) } }
  let spaces: Spaces?
  let refusals: TransportRefusals
  private let space: Space
  let hasCertificate: Bool
  private let membership: StoreMembership
  private var faults: FaultBook? { space.faults }

  private init(
    space: Space, spaces: Spaces?, refusals: TransportRefusals,
    inbox: ServiceInbox,
    loops: [SocketLoop], membership: StoreMembership, listeners: [Listener], controlListener: Listener,
    control: ControlSite,
    hasCertificate: Bool
  ) {
    self.space = space
    gateway = space.gateway
    self.spaces = spaces
    self.refusals = refusals
    self.inbox = inbox
    self.loops = loops
    self.membership = membership
    self.listeners = listeners
    self.controlListener = controlListener
    self.control = control
    self.hasCertificate = hasCertificate
    hosts = listeners.map(\.settings.host)
    port = listeners[0].port
    controlPort = controlListener.port
  }

  /// A change to the settings of a space once its store is open, e.g. the secret that the store has kept.
  package typealias Finish = (any Store, inout SpaceSettings) async throws -> Void

  /// Starts the loops, then listens. If it throws a `ServerError`, nothing is left running.
  package static func start(
    _ settings: GatewaySettings, finish: Finish = { _, _ in }
  ) async throws -> RunningGateway {
    var limits = settings.limits
    // The table of descriptors also needs room for the ports of hosted spaces.
    limits.connectionsMax += (settings.spaces?.countMax ?? 0) * settings.hosts.count
    let loops = (0..<settings.loops).map { [limits] index in
      SocketLoop(index: index, limits: limits, seed: settings.space.seed.map { $0 &+ UInt64(index) })
    }
    do {
      for loop in loops { try loop.start() }
      var known = settings
      known.space.configuration.hosts = settings.hosts
      return try await start(known, on: loops, finish)
    } catch {
      for loop in loops { loop.stop() }
      throw error
    }
  }

  private static func start(
    _ settings: GatewaySettings, on loops: [SocketLoop], _ finish: Finish
  ) async throws -> RunningGateway {
    var finished = settings.space
    let troubles = StoreTroubles(settings.space.configuration.log)
    let inbox = ServiceInbox()
    let membership = try await StoreMembership.open(settings, on: loops, troubles) { inbox.end(.nodeLost) }
    do {
      finished.configuration.life = membership.life
      finished.turns = membership.turns
      let space = try await troubles.naming {
        try await finish(membership.store, &finished)
        let space = try Space(finished, on: loops.map(\.events), store: membership.store)
        try await membership.join(space)
        try await space.prepare(takingOver: membership.dead)
        return space
      }
      try await beginAsking(for: space, on: loops)
      await membership.begin(space)
      return try await serve(space, settings, membership, inbox, on: loops)
    } catch {
      // Another process need not wait until the leases end.
      await membership.end()
      throw error
    }
  }

  private static func serve(
    _ space: Space, _ settings: GatewaySettings, _ membership: StoreMembership, _ inbox: ServiceInbox,
    on loops: [SocketLoop]
  ) async throws -> RunningGateway {
    let gateway = space.gateway
    let refusals = TransportRefusals()
    let spaces = settings.spaces.map {
      Spaces(
        on: loops[0].events, countMax: $0.countMax, journalBytesMax: $0.journalBytesMax,
        plan: $0.planner(loops[0], refusals))
    }
    let control = ControlSite(
      space, settings: settings.description(of: gateway.bindings), secret: settings.controlSecret,
      hosts: [settings.controlHost] + settings.controlAllowedHosts,
      figures: { page in
        BuildInfo.write(to: &page)
        ProcessFigures().write(to: &page)
        refusals.write(to: &page)
        membership.write(to: &page)
        settings.figures(&page)
      },
      spaces: spaces, nodes: { await membership.nodes(of: gateway) }, reload: { await inbox.answeredReload() },
      drain: { inbox.end(.init(cause: "control", window: $0)) })
    let site: any Site = spaces.map { SpacesSite(space.site, $0, isReachable: loops.count == 1) } ?? space.site
    let listeners = try await listen(settings, site, refusals, on: loops)
    var controlSettings = Listener.Settings(host: settings.controlHost, port: settings.controlPort)
    controlSettings.limits = settings.limits
    controlSettings.limits.connectionsMax = 256
    controlSettings.limits.connectionsPerSecond = nil
    controlSettings.takesLastDescriptors = true
    controlSettings.unreadMakesRoom = true
    let controlListener = try await Listener.start(controlSettings, serving: control, on: [loops[0]])
    return RunningGateway(
      space: space, spaces: spaces, refusals: refusals, inbox: inbox,
      loops: loops, membership: membership,
      listeners: listeners, controlListener: controlListener, control: control,
      hasCertificate: settings.tls != nil)
  }

  /// Listens on every host, all with one port.
  static func listen(
    _ settings: GatewaySettings, _ site: any Site, _ refusals: TransportRefusals, on loops: [SocketLoop]
  ) async throws -> [Listener] {
    var listeners: [Listener] = []
    let allowance = ConnectionAllowance()
    for host in settings.hosts {
      var listening = Listener.Settings(host: host, port: listeners.first?.port ?? settings.port)
      listening.limits = settings.limits
      listening.allowance = allowance
      listening.tls = settings.tls
      listening.refusals = refusals
      listening.proxies = settings.proxies
      listening.speaksProxyProtocol = settings.speaksProxyProtocol
      do {
        listeners.append(try await Listener.start(listening, serving: site, on: loops))
      } catch {
        guard settings.skipsMissingHosts, !listeners.isEmpty, Self.isMissing(error) else {
          for listener in listeners { await listener.end() }
          throw error
        }
      }
    }
    return listeners
  }

  /// Returns whether a host does not exist, e.g. IPv6 on a machine without it. A port taken by another process is a different
  /// error: clients would connect to that process.
  private static func isMissing(_ error: any Error) -> Bool {
    if case ServerError.cannotListen = error { true } else { false }
  }

  /// The timeout for the answers to pending requests once the sockets are closed.
  package static let requestPatience = Duration.seconds(10)

  /// The timeout for webhooks under way at the end of the process.
  private static let webhookPatience = Duration.seconds(3)

  /// The timeout for spans that are not sent at the end of the process.
  private static let tracePatience = Duration.seconds(2)

  /// Drains the gateway. It refuses new sockets, notifies every client, and closes each within `window`; connections of
  /// hosted spaces close at once.
  ///
  /// It then waits until every HTTP request has its answer, for at most ``requestPatience``, with the control port last.
  /// After that nothing is accepted. Returns the number of requests without a complete answer.
  @discardableResult
  package func drain(over window: Duration) async -> Int {
    await withTaskGroup { group in
      group.addTask { [gateway] in await gateway.drain(over: window) }
      group.addTask { [self] in await endSpaces() }
      await group.waitForAll()
    }
    return await finishRequests()
  }

  private func endSpaces() async {
    guard let spaces else { return }
    await LoopStage(loop: loops[0].events).perform { await spaces.drain() }
  }

  /// Stops accepting, and waits until every HTTP request has its answer, for at most ``requestPatience``. Returns the number
  /// of requests without a complete answer.
  @discardableResult
  package func finishRequests() async -> Int {
    await gateway.endJournal()
    // Releases answers that a fault holds back.
    await gateway.tables[0].perform { [faults] _ in faults?.end() }
    var unanswered = 0
    for ports in [listeners, [controlListener]] {
      for listener in ports { await listener.stopAccepting() }
      unanswered += await withTaskGroup(of: Int.self) { group in
        for listener in ports { group.addTask { await listener.finishRequests(within: Self.requestPatience) } }
        return await group.reduce(0, +)
      }
    }
    await space.finishWebhooks(within: Self.webhookPatience)
    await space.finishTraces(within: Self.tracePatience)
    return unanswered
  }

  /// Returns the number of open connections.
  package func connectionCount() async -> Int {
    Int(await gateway.phases().values.reduce(0, +))
  }

  /// Reloads the certificate; on an error the old one stays in use.
  func reloadCertificate() async throws {
    for listener in listeners { try await listener.reloadCertificate() }
  }

  /// Uses the keys and secrets of `settings`, the gateway's own settings with every file read again. On an error all old ones
  /// stay in use; sessions stay in any case.
  func renewKeys(by settings: GatewaySettings) async throws {
    try await space.renewKeys(by: settings.space)
    await control.takeSecret(settings.controlSecret)
  }

  /// Ends everything at once.
  package func stop() async {
    await gateway.endJournal()
    for listener in listeners + [controlListener] { await listener.stopAccepting() }
    await membership.end()
    for loop in loops { loop.stop() }
  }
}
