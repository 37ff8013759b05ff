internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import GatewayServer
internal import GatewaySimulator
package import GatewaySpace
internal import PosternTesting
import Testing

/// Where a test's gateway stands and what time is there: virtual time, for instance. The body of a test does not know.
package enum TestPlace: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case virtualTime = "in virtual time"
  /// The same, in two of three spaces on one loop at once; the third must notice nothing.
  case hosted = "in hosted spaces"
  /// On a free port of loopback, where time passes by itself.
  case sockets = "over sockets"

  package var testDescription: String { rawValue }

  /// The gateway with these settings is there as long as `body` runs, which does so on the loop of its clients.
  package func run(
    _ settings: SpaceSettings, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) async throws {
    switch self {
    case .virtualTime: try Self.runInVirtualTime(settings, body)
    case .hosted: try Self.runInHostedSpaces(settings, body)
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
    let outcome = space.world.ask(on: world.loop.index, within: .seconds(10 * 86_400)) {
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

  private static func runInHostedSpaces(
    _ settings: SpaceSettings, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws {
    let house = try TestHouse(settings, spaces: 3)
    let commits = house.stores[2].commitCount
    let loop = house.clients
    let started = house.spaces.prefix(2).enumerated().map { number, space in
      let world = TestWorld(
        place: .hosted, gateway: space.space.gateway, loop: loop.eventLoop,
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
    let metrics = house.spaces[2].space.gateway.tables[0].metrics
    #expect(metrics.dialects.allSatisfy { $0 == DialectMetrics(dialect: $0.dialect) }, "it counts what did")
    for space in house.spaces { house.end(space) }
  }

  /// Whether time is what the test makes of it.
  package var isVirtual: Bool { self != .sockets }

  /// Time ended before the test's body did.
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

  /// So few gateways at a time listen on sockets that the machine is not what the tests wait for.
  private static let turns = TestTurns(16)
}
