internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import GatewaySimulator
internal import GatewaySpace

extension TestPlace {
  private static let other = NodeBoot(node: 1, boot: 0)

  /// Runs two gateways with these settings, on one store and one bus, while `body` runs on the loop of their clients.
  static func runInCluster(
    _ settings: SpaceSettings, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws {
    let first = try TestSpace<any Vendor>(settings, keepsTrace: false, sharesTurns: true)
    let second = try first.second(other)
    let (loop, channel) = (first.world.loops[0].eventLoop, MemoryBus.Channel())
    let nodes = [(first.space, NodeBoot.first, DialTarget.gateway), (second, other, .second)]
    for (space, life, target) in nodes {
      let bus = MemoryBus(as: life, on: channel) { loop.execute($0) }
      space.join(bus, names: { [.first: "a", other: "b"] }) { _ in }
      // Its answers now come after what it announced.
      first.listen(space, on: target)
    }
    let world = TestWorld(
      place: .cluster, gateways: nodes.map(\.0.gateway), loop: first.clients.eventLoop,
      dialer: SimulatedDialer(first.network, on: first.clients), targets: nodes.map(\.2))
    try finish(first.world, world, body)
  }

  /// Runs the body in virtual time, to its end.
  static func finish(
    _ simulated: SimulatedWorld, _ world: TestWorld, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws {
    let outcome = simulated.ask(on: world.loop.index, within: .seconds(10 * 86_400)) {
      do {
        try await body(world)
        return nil as (any Error)?
      } catch {
        return error
      }
    }
    guard let outcome else { throw Unfinished() }
    if let error = outcome { throw error }
  }
}
