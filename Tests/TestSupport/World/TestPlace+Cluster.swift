internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import GatewaySimulator
internal import GatewaySpace

extension TestPlace {
  /// Runs two gateways with these settings, on one store and one bus, while `body` runs on the loop of their clients.
  static func runInCluster(
    _ settings: SpaceSettings, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws {
    let space = try TestSpace<any Vendor>(settings, keepsTrace: false, isCluster: true)
    let world = TestWorld(
      place: .cluster, gateways: space.gateways, loop: space.clients.eventLoop,
      dialer: SimulatedDialer(space.network, on: space.clients), targets: [.gateway, .second])
    try finish(space.world, world, body)
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
