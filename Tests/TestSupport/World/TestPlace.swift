internal import GatewayCore
internal import GatewayKit
internal import GatewayProcess
internal import GatewayRuntime
internal import GatewayServer
internal import GatewaySimulator
package import GatewaySpace
import Testing

/// The place of a test's gateway and its kind of time. The body of a test does not know it.
package enum TestPlace: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case virtualTime = "in virtual time"
  /// In virtual time, in two of three spaces on one loop at once; the third must notice nothing.
  case hosted = "in hosted spaces"
  /// In virtual time, on two gateways with one store and one bus, which clients dial by turns.
  case cluster = "in a cluster"
  /// On a free loopback port in real time.
  case sockets = "over sockets"

  /// The place of the present scene's ``TestSpace``: in virtual time, or in a cluster.
  @TaskLocal package static var ofScenes = TestPlace.virtualTime

  /// The places with one gateway.
  package static let single: [TestPlace] = [.virtualTime, .hosted, .sockets]

  package var testDescription: String { rawValue }

  /// Runs a gateway with these settings while `body` runs on the loop of its clients.
  package func run(
    _ settings: SpaceSettings, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) async throws {
    switch self {
    case .virtualTime: try Self.runInVirtualTime(settings, body)
    case .hosted: try Self.runInHostedSpaces(settings, body)
    case .cluster: try Self.runInCluster(settings, body)
    case .sockets: try await Self.runOverSockets(settings, body)
    }
  }

  private static func runInVirtualTime(
    _ settings: SpaceSettings, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws {
    let space = try TestSpace<any Vendor>(settings, keepsTrace: false)
    let world = TestWorld(
      place: .virtualTime, gateway: space.gateway, loop: space.clients.eventLoop,
      dialer: SimulatedDialer(space.network, on: space.clients), target: .gateway)
    try finish(space.world, world, body)
  }

  private static func runInHostedSpaces(
    _ settings: SpaceSettings, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws {
    let house = try TestHouse(settings, spaces: 3)
    let commits = house.stores[2].commitCount
    let loop = house.clients
    let started = try house.spaces.prefix(2).enumerated().map { number, space in
      let world = TestWorld(
        place: .hosted, gateway: try #require(space.space).gateway, loop: loop.eventLoop,
        dialer: SimulatedDialer(house.network, on: loop), target: .space(number))
      let started = Started<(any Error)?>()
      loop.stage.start {
        do {
          try await body(world)
          started.end(with: nil)
        } catch {
          started.end(with: error)
        }
      }
      return started
    }
    let isDone = house.world.run(within: .seconds(10 * 86_400)) { started.allSatisfy { $0.value != nil } }
    guard isDone else { throw Unfinished() }
    for case .some(.some(let error)) in started.map(\.value) { throw error }
    #expect(house.stores[2].commitCount == commits, "a space remembers what happened in another")
    let metrics = try #require(house.spaces[2].space).gateway.tables[0].metrics
    #expect(metrics.dialects.allSatisfy { $0 == DialectMetrics(dialect: $0.dialect) }, "it counts what did")
    for space in house.spaces { house.end(space) }
  }

  /// Whether the test controls the time.
  package var isVirtual: Bool { self != .sockets }

  /// The error that the test's time ended before its body did.
  struct Unfinished: Error {}

  private static func runOverSockets(
    _ settings: SpaceSettings, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) async throws {
    await turns.take()
    let outcome: Result<Void, any Error>
    do {
      outcome = try await result(settings, body)
    } catch {
      outcome = .failure(error)
    }
    await turns.giveBack()
    try outcome.get()
  }

  private static func result(
    _ settings: SpaceSettings, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) async throws -> Result<Void, any Error> {
    let running = try await RunningGateway.start(GatewaySettings(settings))
    let clients = SocketLoop(index: 0, limits: ServerLimits(), seed: 1)
    let outcome: Result<Void, any Error>
    do {
      try clients.start()
      let world = TestWorld(
        place: .sockets, gateway: running.gateway, loop: clients.events, dialer: SocketDialer(on: clients),
        target: DialTarget(host: "127.0.0.1", port: running.port))
      outcome = await Task(executorPreference: clients.events) { try await body(world) }.result
    } catch {
      outcome = .failure(error)
    }
    await running.stop()
    clients.stop()
    return outcome
  }

  /// A limit of gateways on sockets, so that tests do not wait for a busy machine.
  private static let turns = TestTurns(16)
}
