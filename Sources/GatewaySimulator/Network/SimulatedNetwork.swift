internal import GatewayCore
package import GatewayRuntime

/// A network in virtual time: the sites that listen on its addresses, and the links between them and dialling clients.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
package final class SimulatedNetwork: @unchecked Sendable {
  package let world: SimulatedWorld
  package var conditions: LinkConditions
  private var listeners: [Address: Listener] = [:]
  private var generator: SeededGenerator
  private var connectionCount = 0

  private struct Address: Hashable {
    var host: String
    var port: Int
  }

  private struct Listener {
    var site: any Site
    var loops: [SimulatedLoop]
    var accepted = 0
  }

  package init(_ world: SimulatedWorld, conditions: LinkConditions = LinkConditions()) {
    self.world = world
    self.conditions = conditions
    generator = SeededGenerator(seed: world.seed ^ 0x6E65_7477_6F72_6B21)
  }

  /// Opens a port, whose connections go to the loops in turn.
  package func listen(on target: DialTarget, loops: [SimulatedLoop], site: any Site) {
    precondition(!loops.isEmpty, "a listener needs a loop")
    listeners[Address(host: target.host, port: target.port)] = Listener(site: site, loops: loops)
  }

  /// Closes a port; open connections stay open.
  package func stopListening(on target: DialTarget) {
    listeners[Address(host: target.host, port: target.port)] = nil
  }

  func nextShare() -> Double { generator.nextShare() }

  /// Returns the travel time of the next packet.
  func nextLatency() -> Duration {
    let (least, most) = (conditions.latency.lowerBound, conditions.latency.upperBound)
    guard least < most else { return least }
    return least + .nanoseconds(Int64(Double((most - least).nanoseconds) * nextShare()))
  }

  /// Returns the site and the loop that serve the next connection to `target`; nil if nothing listens there.
  func accept(_ target: DialTarget) -> (site: any Site, loop: SimulatedLoop)? {
    let address = Address(host: target.host, port: target.port)
    guard let listener = listeners[address] else { return nil }
    listeners[address]?.accepted += 1
    return (listener.site, listener.loops[listener.accepted % listener.loops.count])
  }

  /// Creates the two ends of a connection. Only the accepting end is traced, since it sees the order in which the
  /// gateway works.
  func makeConnection(
    from dialler: (loop: SimulatedLoop, handler: any SocketHandler, began: Instant, source: String),
    to acceptor: (loop: SimulatedLoop, handler: any SocketHandler), at target: DialTarget
  ) -> (dialled: SimulatedSocket, accepted: SimulatedSocket) {
    connectionCount += 1
    let dialled = SimulatedSocket(
      loop: dialler.loop.eventLoop, network: self, handler: dialler.handler, peer: target.host,
      acceptedAt: dialler.began, label: nil)
    let accepted = SimulatedSocket(
      loop: acceptor.loop.eventLoop, network: self, handler: acceptor.handler, peer: dialler.source,
      acceptedAt: world.now, label: "socket \(connectionCount)")
    SimulatedSocket.link(dialled, accepted)
    return (dialled, accepted)
  }
}
