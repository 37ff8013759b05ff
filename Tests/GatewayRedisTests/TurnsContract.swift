import GatewayCore
import GatewayKit
import GatewayServer
import Synchronization
import TestSupport
import TestTraits
import Testing

@Suite(.timeLimit(.minutes(20)))
struct TurnsContract {
  /// Long enough for a busy machine to renew in time.
  private static let long = Duration.seconds(20)
  private static let short = Duration.milliseconds(500)

  /// The state that the tasks of a test share.
  private final class Shared: Sendable {
    let inside = Atomic(0)
    let counts = Mutex([0, 0, 0])
    let isOver = Atomic(false)
    let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
  }

  /// Adds 1 to the number in the store, in a turn that is held.
  private static func add(_ nodes: TurnsCase.Nodes, with turn: HeldTurn?) async throws(StoreError) -> Int {
    try await HeldTurn.with(turn) { () async throws(StoreError) in try await Counted.add(in: nodes.store) }
  }

  /// Adds 1 to it in the node's next turn.
  private static func addInTurn(_ nodes: TurnsCase.Nodes, _ node: Int) async throws(StoreError) -> Int {
    try await nodes.turns[node].inTurn(of: "a") { () async throws(StoreError) in
      try await Counted.add(in: nodes.store)
    }
  }

  @Test(arguments: TurnsCase.all)
  func `one task of all nodes is in a turn at a time, and finds what earlier ones stored and announced`(
    kind: TurnsCase
  ) async throws {
    let nodes = try await kind.make(3, Self.long)
    let shared = Shared()
    try await withThrowingTaskGroup { group in
      for node in 0..<3 {
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<15 {
              try await nodes.turns[node].inTurn(of: "a") { () async throws(StoreError) in
                #expect(shared.inside.add(1, ordering: .relaxed).newValue == 1)
                let before = try await Counted.read(in: nodes.store)
                #expect(nodes.received(node) == before, "everything announced before the turn has been received")
                let number = try await Counted.add(in: nodes.store)
                #expect(number == before + 1)
                nodes.announce(node, number)
                shared.inside.subtract(1, ordering: .relaxed)
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await Counted.read(in: nodes.store) == 180)
  }

  @Test(arguments: TurnsCase.all)
  func `turns of different things do not wait for each other`(kind: TurnsCase) async throws {
    let nodes = try await kind.make(2, Self.long)
    let held = try await nodes.turns[0].take("a")
    let other = try await nodes.turns[1].take("b")
    nodes.turns[1].give("b", other)
    nodes.turns[0].give("a", held)
  }

  @Test(arguments: TurnsCase.shared)
  func `nodes that all want a turn again and again get it about equally often`(kind: TurnsCase) async throws {
    let nodes = try await kind.make(3, Self.long)
    let shared = Shared()
    try await withThrowingTaskGroup { group in
      for node in 0..<3 {
        group.addTask {
          var isFirst = true
          while !shared.isOver.load(ordering: .relaxed) {
            try await nodes.turns[node].inTurn(of: "a") { () async throws(StoreError) in
              // Turns count from when all nodes have begun.
              if isFirst { shared.inside.add(1, ordering: .relaxed) }
              guard shared.inside.load(ordering: .relaxed) == 3, !shared.isOver.load(ordering: .relaxed) else { return }
              let count = shared.counts.withLock { counts in
                counts[node] += 1
                return counts[node]
              }
              if count == 60 { shared.isOver.store(true, ordering: .relaxed) }
            }
            isFirst = false
          }
        }
      }
      try await group.waitForAll()
    }
    let least = shared.counts.withLock { $0.min() ?? 0 }
    #expect(least >= 10, "\(shared.counts.withLock { $0 })")
  }

  @Test(arguments: TurnsCase.all)
  func `a cancelled waiter keeps nobody from the turn`(kind: TurnsCase) async throws {
    let nodes = try await kind.make(3, Self.long)
    let held = try await nodes.turns[0].take("a")
    let waiters = (1..<3).map { node in
      Task(executorPreference: globalConcurrentExecutor) {
        try await nodes.turns[node].inTurn(of: "a") { () async throws(StoreError) in node }
      }
    }
    waiters[0].cancel()
    nodes.turns[0].give("a", held)
    #expect(try await waiters[1].value == 2)
    _ = await waiters[0].result
    #expect(try await nodes.turns[0].inTurn(of: "a") { () async throws(StoreError) in 0 } == 0)
  }

  @Test(arguments: TurnsCase.shared)
  func `a holder whose lease has ended is overtaken, and its commit is refused`(kind: TurnsCase) async throws {
    let nodes = try await kind.make(2, Self.short)
    let stale = try #require(try await nodes.turns[0].take("a"))
    nodes.stop(0)
    try await nodes.turns[1].inTurn(of: "a") { () async throws(StoreError) in
      // The new holder has the turn, or has given it back.
      #expect(try await Counted.add(in: nodes.store) == 1)
      await #expect(throws: StoreError.contended) { try await Self.add(nodes, with: stale) }
    }
    #expect(stale.isLost)
    await #expect(throws: StoreError.contended) { try await Self.add(nodes, with: stale) }
    #expect(try await Counted.read(in: nodes.store) == 1)
    nodes.turns[0].give("a", stale)
    #expect(try await Self.addInTurn(nodes, 1) == 2, "the stale turn, given back, takes none from others")
  }

  @Test(.long, arguments: TurnsCase.shared)
  func `a holder that renews keeps its turn for longer than a lease`(kind: TurnsCase) async throws {
    let lease = Duration.seconds(3)
    let nodes = try await kind.make(2, lease)
    let held = try await nodes.turns[0].take("a")
    let waiter = Task(executorPreference: globalConcurrentExecutor) { try await Self.addInTurn(nodes, 1) }
    let links = try RedisServer.links()
    await withCheckedContinuation { continuation in
      links.execute { links.run(after: lease * 3 / 2) { continuation.resume() } }
    }
    #expect(try await Self.add(nodes, with: held) == 1)
    nodes.turns[0].give("a", held)
    #expect(try await waiter.value == 2)
  }

  @Test(arguments: TurnsCase.shared)
  func `a waiting node that is gone is passed over`(kind: TurnsCase) async throws {
    let nodes = try await kind.make(3, Self.short)
    let held = try await nodes.turns[0].take("a")
    let gone = Task(executorPreference: globalConcurrentExecutor) { try await nodes.turns[1].take("a") }
    // It has asked by the time that it would have asked again.
    let links = try RedisServer.links()
    await withCheckedContinuation { continuation in
      links.execute { links.run(after: Self.short / 2) { continuation.resume() } }
    }
    nodes.stop(1)
    _ = await gone.result
    nodes.turns[0].give("a", held)
    let turn = try #require(try await nodes.turns[2].take("a"))
    #expect(try await Self.add(nodes, with: turn) == 1)
    nodes.turns[2].give("a", turn)
  }

  @Test(arguments: TurnsCase.shared)
  func `a turn that was given back leaves nothing in the store`(kind: TurnsCase) async throws {
    let nodes = try await kind.make(1, Self.long)
    let turn = try #require(try await nodes.turns[0].take("a"))
    let key = StoreKey(path: turn.path, type: TurnRow.self)
    #expect(try await nodes.store.read([key], at: Counted.now)[0]?.version == turn.number)
    nodes.turns[0].give("a", turn)
    while try await nodes.store.read([key], at: Counted.now)[0] != nil { await Task.yield() }
  }

  @Test(arguments: TurnsCase.shared)
  func `what a turn's holder starts and commits after the turn is not refused`(kind: TurnsCase) async throws {
    let nodes = try await kind.make(1, Self.long)
    let shared = Shared()
    let later = try await nodes.turns[0].inTurn(of: "a") { () async throws(StoreError) in
      let later = Task(executorPreference: globalConcurrentExecutor) {
        await withCheckedContinuation { continuation in shared.gate.withLock { $0 = continuation } }
        return try await Counted.add(in: nodes.store)
      }
      while shared.gate.withLock({ $0 == nil }) { await Task.yield() }
      return later
    }
    shared.gate.withLock { $0.take() }?.resume()
    #expect(try await later.value == 1)
  }
}
