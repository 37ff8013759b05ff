package import GatewayCore
internal import GatewayKit
package import GatewayRuntime
package import GatewaySimulator
package import GatewaySpace
internal import GatewayTokens

/// Hosted spaces in virtual time, all on one loop and each with its own address, and a loop for their clients.
package struct TestHouse {
  package let world: SimulatedWorld
  package let network: SimulatedNetwork
  package let host: SimulatedLoop
  package let clients: SimulatedLoop
  package private(set) var spaces: [HostedSpace] = []
  package private(set) var stores: [FaultyStore] = []

  package init(
    _ settings: SpaceSettings, spaces count: Int, limits: HostedLimits = HostedLimits(), isFrozen: Bool = false
  ) throws {
    world = SimulatedWorld(loops: 2, keepsTrace: false)
    network = SimulatedNetwork(world)
    (host, clients) = (world.loops[0], world.loops[1])
    for number in 0..<count {
      var settings = settings
      settings.seed = UInt64(number)
      settings.secrets = Secrets(seed: UInt64(number))
      var made: FaultyStore!
      let space = try host.eventLoop.asCurrent {
        try HostedSpace(settings, on: host.eventLoop, limits: limits, isFrozen: isFrozen) { loop in
          made = FaultyStore(on: loop)
          return made
        }
      }
      network.listen(on: .space(number), loops: [host], site: space.site)
      spaces.append(space)
      stores.append(made)
      _ = world.ask { try? await space.prepare() }
    }
  }

  /// Returns a client of that space that connects, and has received the immediate messages.
  package func dial(_ space: Int, _ upgrade: HTTPRequest) -> SimulatedPeer {
    let peer = SimulatedPeer(network, on: clients, to: .space(space), upgrade: upgrade)
    world.settle()
    return peer
  }

  /// Returns the gateway of a space.
  package func gateway(_ space: Int) -> Gateway { spaces[space].space!.gateway }

  /// Ends the space, and returns when it has ended.
  package func end(_ space: HostedSpace) {
    _ = world.ask { await space.end() }
  }

  /// Forgets its spaces and their addresses.
  package mutating func forget() {
    for number in spaces.indices { network.stopListening(on: .space(number)) }
    spaces = []
    stores = []
  }
}

extension DialTarget {
  /// Returns the address of that space of a ``TestHouse``.
  package static func space(_ number: Int) -> DialTarget { DialTarget(host: "space-\(number)", port: 80) }
}
