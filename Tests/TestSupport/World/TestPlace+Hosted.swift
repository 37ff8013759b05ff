internal import GatewayCore
internal import GatewayRuntime
internal import GatewayServer
package import GatewaySpace
internal import GatewayStores
import Testing

extension TestPlace {
  /// Runs a hosted space with these settings on a free loopback port while `body` runs on the loop of its clients.
  /// `ask` runs work for the space on its host.
  package static func runHostedOverSockets(
    _ settings: SpaceSettings, _ body: @escaping @Sendable (TestWorld, HostedSpaceOnSockets) async throws -> Void
  ) async throws {
    let (host, clients) = (SocketLoop(index: 0, seed: 1), SocketLoop(index: 0, seed: 2))
    try host.start()
    defer { host.stop() }
    try clients.start()
    defer { clients.stop() }
    let stage = LoopStage(loop: host.events)
    let made = await stage.perform { () async -> Result<HostedSpace, any Error> in
      do {
        let space = try HostedSpace(settings, on: host.events) { MemoryStore(on: $0) }
        try await space.prepare()
        return .success(space)
      } catch {
        return .failure(error)
      }
    }
    let space = HostedSpaceOnSockets(try made.get(), stage)
    let listener = try await Listener.start(
      Listener.Settings(host: "127.0.0.1", port: 0), serving: space.space.site, on: [host])
    let world = TestWorld(
      place: .sockets, gateway: try #require(space.space.space).gateway, loop: clients.events,
      dialer: SocketDialer(on: clients),
      target: DialTarget(host: "127.0.0.1", port: listener.port))
    let outcome = await Task(executorPreference: clients.events) { try await body(world, space) }.result
    await listener.stopAccepting()
    try outcome.get()
  }
}

/// A hosted space on real sockets, with access to its host.
package struct HostedSpaceOnSockets: Sendable {
  package let space: HostedSpace
  private let stage: LoopStage

  init(_ space: HostedSpace, _ stage: LoopStage) {
    (self.space, self.stage) = (space, stage)
  }

  /// Runs work on the space, on its host.
  package func ask<Answer: Sendable>(
    _ body: nonisolated(nonsending) @escaping @Sendable (HostedSpace) async -> Answer
  ) async -> Answer {
    await stage.perform { [space] in await body(space) }
  }
}
