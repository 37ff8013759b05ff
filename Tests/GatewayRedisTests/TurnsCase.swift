import GatewayCore
import GatewayKit
import GatewayServer
import TestSupport
import Testing

@testable import GatewayRedis

/// A kind of turns for contract tests.
struct TurnsCase: CustomTestStringConvertible, Sendable {
  /// The nodes of a gateway, with their store.
  struct Nodes: Sendable {
    let turns: [NodeTurns<String>]
    let store: any Store
    /// Has a node renew nothing and ask for nothing from here on, as one that is stopped or gone.
    let stop: @Sendable (Int) -> Void
    /// Announces a number from a node.
    let announce: @Sendable (Int, Int) -> Void
    /// Returns how many numbers a node has received.
    let received: @Sendable (Int) -> Int
  }

  let testDescription: String
  /// Makes that many nodes, whose leases last that long.
  let make: @Sendable (Int, Duration) async throws -> Nodes

  /// The kinds of several nodes.
  static let shared = [store, redis]
  static let all = [local] + shared

  static let local = TurnsCase(testDescription: "local") { count, _ in
    let turns = NodeTurns<String>(of: "test", among: nil) { $0 }
    let listener = Listener()
    return Nodes(
      turns: Array(repeating: turns, count: count), store: FaultyStore(), stop: { _ in },
      announce: { listener.receive(.note(VendorNote("test", "\($1)")), from: NodeBoot(node: $0, boot: 0)) },
      received: { _ in listener.heard.count })
  }

  static let store = TurnsCase(testDescription: "rows of a store") { count, lease in
    let (store, channel, links) = (FaultyStore(), MemoryBus.Channel(), try RedisServer.links())
    let listeners = (0..<count).map { _ in Listener() }
    let pace = StoreTurns.Pace(
      now: { Counted.now },
      sleep: { duration in
        await withCheckedContinuation { continuation in
          links.execute { links.run(after: duration) { continuation.resume() } }
        }
      }, start: { body in Task(executorPreference: globalConcurrentExecutor) { await body() } })
    let buses = listeners.enumerated().map { node, listener in
      let bus = MemoryBus(as: NodeBoot(node: node, boot: 0), on: channel) { $0() }
      bus.open(listener)
      return bus
    }
    let turns = (0..<count).map { StoreTurns(store, as: "\($0)", lease: lease, pace) }
    return Nodes(
      turns: turns.map { NodeTurns(of: "test", among: $0) { $0 } }, store: store, stop: { turns[$0].stop() },
      announce: { buses[$0].send(.note(VendorNote("test", "\($1)"))) }, received: { listeners[$0].heard.count })
  }

  static let redis = TurnsCase(testDescription: "Redis") { count, lease in
    let settings = try RedisServer.sharedSettings()
    let listeners = (0..<count).map { _ in Listener() }
    let buses = try await Self.buses(settings, listeners)
    let turns = buses.map { RedisTurns($0, lease: lease) }
    let store = RedisStore(settings, on: [try RedisServer.links()], checksClock: false)
    return Nodes(
      turns: turns.map { NodeTurns(of: "test", among: $0) { $0 } }, store: store, stop: { turns[$0].end() },
      announce: { buses[$0].send(.note(VendorNote("test", "\($1)"))) }, received: { listeners[$0].heard.count })
  }

  /// Returns the buses of nodes 0 and up, which have begun.
  static func buses(_ settings: RedisSettings, _ listeners: [Listener]) async throws -> [RedisBus] {
    var buses: [RedisBus] = []
    for (node, listener) in listeners.enumerated() {
      let bus = RedisBus(settings, as: NodeBoot(node: node, boot: 0), on: try RedisServer.links()) { _ in }
      bus.open(listener)
      try await bus.start(saying: .note(VendorNote("hello", "")))
      buses.append(bus)
    }
    return buses
  }
}

/// A number in the store, which is changed in turns.
struct Counted: StoreValue {
  static let key = StoreTable<Counted>("test.counted").key("count")
  static let now = WallTime(seconds: 1_000)

  var number = 0

  /// Adds 1 to the number; throws ``StoreError/contended`` in a turn that another node has had since.
  static func add(in store: any Store) async throws(StoreError) -> Int {
    try await store.transact(at: now) { (transaction: inout StoreTransaction<StoreError>) async throws(StoreError) in
      var counted = try await transaction.get(key, as: Counted.self) ?? Counted()
      counted.number += 1
      transaction.put(key, counted)
      return counted.number
    }
  }

  static func read(in store: any Store) async throws(StoreError) -> Int {
    try await store.get(key, as: Counted.self, at: now)?.number ?? 0
  }
}
