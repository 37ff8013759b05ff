import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import GatewayRedis

@Suite(.timeLimit(.minutes(20)))
struct RedisTurnsTests {
  private static let path = StorePath(HeldTurn.table, ["test", "a"])

  private struct Nodes {
    let buses: [RedisBus]
    let turns: [RedisTurns]
    let lane: RedisLane
    let store: RedisStore
  }

  private func nodes(_ settings: RedisSettings, _ count: Int, lease: Duration = .seconds(20)) async throws -> Nodes {
    let buses = try await TurnsCase.buses(settings, (0..<count).map { _ in Listener() })
    let links = try RedisServer.links()
    return Nodes(
      buses: buses, turns: buses.map { RedisTurns($0, lease: lease) }, lane: RedisLane(on: links, settings),
      store: RedisStore(settings, on: [links], checksClock: false))
  }

  @Test
  func `a Redis that lost everything refuses the holder's commit, and grants new turns`() async throws {
    let server = try RedisServer()
    let nodes = try await nodes(server.settings, 2)
    let stale = try await nodes.turns[0].take(Self.path)
    _ = await nodes.lane.ask(RedisCommand("FLUSHALL"))
    let turn = try await nodes.turns[1].take(Self.path)
    await #expect(throws: StoreError.contended) {
      try await HeldTurn.with(stale) { () async throws(StoreError) in try await Counted.add(in: nodes.store) }
    }
    nodes.turns[0].give(stale)
    #expect(
      try await HeldTurn.with(turn) { () async throws(StoreError) in try await Counted.add(in: nodes.store) } == 1)
    nodes.turns[1].give(turn)
  }

  @Test
  func `connections that Redis ends in the middle of turns cost no turn, and scripts that it forgets are loaded`()
    async throws
  {
    let server = try RedisServer()
    let nodes = try await nodes(server.settings, 2, lease: .seconds(5))
    for round in 0..<20 {
      let node = round % 2
      let turn = try await eventually { try await nodes.turns[node].take(Self.path) }
      if round % 5 == 1 { _ = await nodes.lane.ask(RedisCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")) }
      if round % 5 == 2 { _ = await nodes.lane.ask(RedisCommand("CLIENT", "KILL", "TYPE", "pubsub")) }
      if round % 5 == 3 { _ = await nodes.lane.ask(RedisCommand("SCRIPT", "FLUSH")) }
      let number = try await HeldTurn.with(turn) { try await eventually { try await Counted.add(in: nodes.store) } }
      #expect(number == round + 1)
      nodes.turns[node].give(turn)
    }
  }

  /// Tries again while the connection is away.
  private func eventually<Answer: Sendable>(_ body: () async throws -> Answer) async throws -> Answer {
    while true {
      do {
        return try await body()
      } catch StoreError.unavailable {
        await Task.yield()
      }
    }
  }

  @Test
  func `a server that is away refuses a turn, and nobody waits for it`() async throws {
    let server = try RedisServer()
    let nodes = try await nodes(server.settings, 1)
    _ = await nodes.lane.ask(RedisCommand("SHUTDOWN", "NOSAVE"))
    await #expect(throws: StoreError.self) { try await nodes.turns[0].take(Self.path) }
    #expect(nodes.turns[0].figures.failed == 1 && nodes.turns[0].figures.taken == 0)
  }

  @Test
  func `damaged keys of a turn, and grants of nobody's, keep nobody from it`() async throws {
    let settings = try RedisServer.sharedSettings()
    let nodes = try await nodes(settings, 2, lease: .seconds(5))
    let damage: [(String, [UInt8])] = [
      ("turn", [1, 2, 3]), ("queue", [0xFF]), ("queue", Array(repeating: 7, count: 3_000)),
    ]
    for (key, bytes) in damage {
      var command = RedisCommand("SET")
      command.append(Array("\(settings.prefix):\(key):".utf8) + Self.path.bytes)
      command.append(bytes)
      command.append("PX")
      command.append("300")
      _ = await nodes.lane.ask(command)
      let turn = try await nodes.turns[0].take(Self.path)
      nodes.turns[0].give(turn)
    }
    let held = try await nodes.turns[0].take(Self.path)
    for grant in [[2], [2, 0, 0, 0], [2, 0, 0, 0] + Array(repeating: 9, count: 8) + Self.path.bytes] as [[UInt8]] {
      var command = RedisCommand("PUBLISH", "\(settings.prefix):bus")
      command.append(Array(repeating: 0, count: 8) + grant)
      _ = await nodes.lane.ask(command)
    }
    nodes.turns[0].give(held)
    let turn = try await nodes.turns[1].take(Self.path)
    #expect(
      try await HeldTurn.with(turn) { () async throws(StoreError) in try await Counted.add(in: nodes.store) } == 1)
    nodes.turns[1].give(turn)
  }

  @Test
  func `turns are counted, and those for which others were waited for`() async throws {
    let nodes = try await nodes(try RedisServer.sharedSettings(), 2)
    let held = try await nodes.turns[0].take(Self.path)
    let waiting = Task(executorPreference: globalConcurrentExecutor) { try await nodes.turns[1].take(Self.path) }
    var command = RedisCommand("GET")
    command.append(Array("\(nodes.store.settings.prefix):queue:".utf8) + Self.path.bytes)
    while case .success(let replies) = await nodes.lane.ask(command), replies == [.null] { await Task.yield() }
    nodes.turns[0].give(held)
    nodes.turns[1].give(try await waiting.value)
    #expect(nodes.turns[0].figures.taken == 1 && nodes.turns[0].figures.waited == 0)
    #expect(nodes.turns[1].figures.taken == 1 && nodes.turns[1].figures.waited == 1)
    #expect(nodes.turns[1].figures.time > .zero)
  }
}
