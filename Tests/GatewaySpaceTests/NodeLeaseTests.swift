import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import Synchronization
import TestSupport
import Testing

/// The messages to the operator of a process with a shared store.
private final class NodeNews: Sendable {
  private let news = Mutex<(over: [NodeBoot], isLost: Bool)>(([], false))

  /// The lives that it has taken over.
  var over: [NodeBoot] { news.withLock { $0.over } }
  /// Whether it counts as dead.
  var isLost: Bool { news.withLock { $0.isLost } }

  func note(_ told: NodeKeeper.News) {
    news.withLock { news in
      switch told {
      case .lost: news.isLost = true
      case .takenOver(_, let life): news.over.append(life)
      }
    }
  }
}

struct NodeLeaseTests {
  private struct Row: StoreValue {
    var text: String
  }

  private static let row = StoreTable<Row>("test.row").key("a")

  private let world = SimulatedWorld(loops: 4)
  private let store: FaultyStore

  init() {
    store = FaultyStore(on: world.loops[0].eventLoop)
  }

  /// Returns the lease of a process on that loop, which does not renew it yet.
  private func take(_ name: String, on loop: Int) throws -> NodeLease {
    let (store, events) = (store, world.loops[loop].eventLoop)
    let outcome = world.ask(on: loop) { () async -> Result<NodeLease, any Error> in
      do { return .success(try await NodeLease.take(name, in: store, on: events)) } catch { return .failure(error) }
    }
    return try #require(outcome).get()
  }

  /// Has the process renew its lease, and take over what others leave.
  private func keep(_ lease: NodeLease, on loop: Int) -> (keeper: NodeKeeper, news: NodeNews) {
    let news = NodeNews()
    let keeper = NodeKeeper(lease, on: world.loops[loop].eventLoop) { news.note($0) }
    keeper.begin()
    world.ask(on: loop) { await keeper.sweep { _ in } }
    return (keeper, news)
  }

  /// Returns whether the process's commits are done.
  private func commits(_ lease: NodeLease) -> Bool {
    let now = world.wallTime
    let commit = StoreCommit(writes: [StoreCommit.Write(Self.row, Row(text: lease.name))])
    return world.ask { (try? await lease.fencedStore.commit(commit, at: now)) == true } == true
  }

  @Test
  func `processes have the lowest free numbers, and each life of a number another boot`() throws {
    let leases = try ["a", "b", "c"].enumerated().map { try take($1, on: $0) }
    #expect(leases.map(\.life) == (0..<3).map { NodeBoot(node: $0, boot: 0) })
    let kept = leases.enumerated().map { keep($1, on: $0) }
    world.ask(on: 1) { await kept[1].keeper.end() }
    world.advance(by: .seconds(5))
    #expect(kept[0].news.over == [leases[1].life] || kept[2].news.over == [leases[1].life])
    #expect(!leases[1].isHeld(at: world.now) && leases[0].isHeld(at: world.now) && leases[2].isHeld(at: world.now))
    #expect(try take("d", on: 3).life == NodeBoot(node: 1, boot: 1))
    #expect(try take("b", on: 1).life == NodeBoot(node: 3, boot: 0))
  }

  @Test
  func `a name that a running process has is refused within a few seconds, and disturbs no client`() throws {
    let first = try take("a", on: 0)
    let (_, news) = keep(first, on: 0)
    world.advance(by: .seconds(7))
    let before = world.now
    #expect(throws: NodeError.nameInUse("a")) { try take("a", on: 1) }
    #expect(world.now - before <= .seconds(3))
    world.advance(by: .seconds(60))
    #expect(first.isHeld(at: world.now) && !news.isLost && commits(first))
  }

  @Test
  func `of two processes of one name that start at once, one is refused`() throws {
    let (store, loops) = (store, world.loops)
    let outcomes = Mutex<[Bool]>([])
    for loop in 0..<2 {
      loops[loop].stage.start {
        guard let lease = try? await NodeLease.take("a", in: store, on: loops[loop].eventLoop) else {
          return outcomes.withLock { $0.append(false) }
        }
        NodeKeeper(lease, on: loops[loop].eventLoop) { _ in }.begin()
        outcomes.withLock { $0.append(true) }
      }
    }
    world.advance(by: .seconds(30))
    #expect(outcomes.withLock { $0 } == [true, false])
  }

  @Test
  func `a process that returns under its name waits for the end of its lease and has the next boot`() throws {
    let first = try take("a", on: 0)
    let before = world.now
    let next = try take("a", on: 1)
    #expect(next.life == first.life.next && world.now - before >= .seconds(10) && world.now - before < .seconds(12))
    #expect(next.dead.contains(first.life) && next.dead.isEverybody)
    #expect(!commits(first) && commits(next))
  }

  @Test
  func `a process that renews nothing is declared dead after its lease, and then commits nothing`() throws {
    let stopped = try take("a", on: 0)
    let running = try take("b", on: 1)
    #expect(!running.dead.contains(stopped.life) && !running.dead.isEverybody)
    let (_, news) = keep(running, on: 1)
    world.advance(by: .seconds(9))
    #expect(news.over.isEmpty && commits(stopped))
    #expect(!stopped.isHeld(at: world.now), "it admits nobody before others count it as dead")
    world.advance(by: .seconds(6))
    #expect(news.over == [stopped.life] && running.isHeld(at: world.now) && commits(running))
    #expect(!commits(stopped))
    // It runs again, and finds that out by itself.
    let (_, late) = keep(stopped, on: 0)
    world.advance(by: .seconds(3))
    #expect(late.isLost && !stopped.isHeld(at: world.now) && !commits(stopped) && commits(running))
    world.advance(by: .seconds(60))
    #expect(news.over == [stopped.life] && !news.isLost)
  }

  @Test
  func `a process that was stopped for less than its lease continues as before`() throws {
    let stopped = try take("a", on: 0)
    let (_, news) = keep(try take("b", on: 1), on: 1)
    world.advance(by: .seconds(9))
    let (_, late) = keep(stopped, on: 0)
    world.advance(by: .seconds(120))
    #expect(news.over.isEmpty && !late.isLost && stopped.isHeld(at: world.now) && commits(stopped))
  }

  @Test(arguments: [FaultyStore.Fault.away, .late(.seconds(7)), .lostAnswer, .conflict])
  func `a faulty store makes no process count as dead, and no process admits clients without it`(
    fault: FaultyStore.Fault
  ) throws {
    let leases = try ["a", "b"].enumerated().map { try take($1, on: $0) }
    let kept = leases.enumerated().map { keep($1, on: $0) }
    world.advance(by: .seconds(5))
    store.fault = fault
    world.advance(by: .seconds(120))
    if fault == .away || fault == .conflict { #expect(leases.allSatisfy { !$0.isHeld(at: world.now) }) }
    store.fault = nil
    world.advance(by: .seconds(30))
    #expect(leases.allSatisfy { $0.isHeld(at: world.now) && commits($0) })
    #expect(kept.allSatisfy { !$0.news.isLost && $0.news.over.isEmpty })
  }

  @Test
  func `the takeover of what a dead process left is tried again until it succeeds`() throws {
    let dead = try take("a", on: 0)
    let lease = try take("b", on: 1)
    let news = NodeNews()
    let tries = Mutex(0)
    let keeper = NodeKeeper(lease, on: world.loops[1].eventLoop) { news.note($0) }
    keeper.begin()
    world.ask(on: 1) {
      await keeper.sweep { taken in
        #expect(taken.contains(dead.life) && !taken.contains(lease.life) && !taken.isEverybody)
        tries.withLock { $0 += 1 }
        if tries.withLock({ $0 }) < 3 { throw GatewayError.storeUnavailable }
      }
    }
    world.advance(by: .seconds(30))
    #expect(news.over == [dead.life] && tries.withLock { $0 } == 3)
  }

  @Test
  func `a process that has the store for itself releases every number and has a boot of its own`() throws {
    let shared = try ["a", "b"].enumerated().map { try take($1, on: $0) }
    let (store, now) = (store, world.wallTime)
    let lives = (0..<2).map { _ in world.ask { try? await NodeLease.alone(in: store, at: now) } }
    #expect(lives == [NodeBoot(node: 0, boot: 1), NodeBoot(node: 0, boot: 2)])
    #expect(!commits(shared[0]))
    let next = try take("c", on: 2)
    #expect(next.life == NodeBoot(node: 1, boot: 1) && next.dead.isEverybody)
    #expect(next.dead.contains(NodeBoot(node: 0, boot: 2)))
  }

  @Test
  func `64 processes share a store, and no more`() throws {
    for number in 0..<64 { #expect(try take("node-\(number)", on: 0).life.node == number) }
    #expect(throws: NodeError.full) { try take("one more", on: 0) }
  }
}
