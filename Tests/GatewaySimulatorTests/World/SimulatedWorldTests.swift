import GatewayCore
import GatewayRuntime
import GatewaySimulator
import Testing

/// An actor pinned to a loop, like a connection.
private actor Counter {
  let loop: SimulatedLoop
  private(set) var count = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.eventLoop.asUnownedSerialExecutor() }

  init(_ loop: SimulatedLoop) {
    self.loop = loop
  }

  func add(_ number: Int) -> Int {
    loop.eventLoop.preconditionOnLoop()
    count += number
    return count
  }
}

struct SimulatedWorldTests {
  @Test
  func `time jumps to the next deadline and stands still meanwhile`() {
    let world = SimulatedWorld()
    var seen: [Int64] = []
    for seconds in [86_400, 5, 60] {
      world.loop.execute(at: .zero + .seconds(seconds)) { seen.append(world.now.nanoseconds / 1_000_000_000) }
    }
    #expect(world.runUntilIdle(within: .seconds(100_000)))
    #expect(seen == [5, 60, 86_400])
    #expect(world.now == .zero + .seconds(86_400))
  }

  @Test
  func `running until an instant stops there, whether or not anything is due`() {
    let world = SimulatedWorld()
    var fired = false
    world.loop.execute(at: .zero + .seconds(10)) { fired = true }
    world.advance(by: .seconds(9))
    #expect(!fired && world.now == .zero + .seconds(9))
    world.advance(by: .seconds(1))
    #expect(fired)
    #expect(!SimulatedWorld().run(within: .seconds(1)) { false })
  }

  @Test
  func `running until idle stops at its limit`() {
    let world = SimulatedWorld()
    world.loop.execute(at: .zero + .seconds(10)) {}
    #expect(!world.runUntilIdle(within: .seconds(9)))
    #expect(world.nextDeadline == .zero + .seconds(10))
  }

  @Test
  func `an actor on one loop awaits an actor on another, in virtual time, on the caller's thread`() {
    let world = SimulatedWorld(loops: 2)
    let near = Counter(world.loops[0])
    let far = Counter(world.loops[1])
    let sum = world.ask(on: 0) {
      var sum = 0
      for number in 1...100 {
        sum += await near.add(number)
        sum += await far.add(number)
        await EventLoop.current?.sleep(until: EventLoop.current!.now + .milliseconds(10))
      }
      return sum
    }
    #expect(sum == 2 * (1...100).reduce(0) { $0 + $1 * ($1 + 1) / 2 })
    #expect(world.now == .zero + .seconds(1))
  }

  @Test
  func `a question without an answer in time has no answer`() {
    let world = SimulatedWorld()
    let answer = world.ask(within: .seconds(1)) {
      await EventLoop.current?.sleep(until: .zero + .seconds(2))
      return true
    }
    #expect(answer == nil)
    world.runUntilIdle()
  }

  @Test
  func `the wall clock jumps and drifts while the monotonic clock stays true`() {
    let world = SimulatedWorld(wallStart: WallTime(seconds: 1_000))
    world.advance(by: .seconds(10))
    #expect(world.wallTime == WallTime(seconds: 1_010))
    world.timeline.jumpWallClock(by: .seconds(-500))
    #expect(world.wallTime == WallTime(seconds: 510))
    world.timeline.driftWallClock(partsPerMillion: 500)
    world.advance(by: .seconds(2_000))
    #expect(world.wallTime == WallTime(seconds: 2_511))
    #expect(world.now == .zero + .seconds(2_010))
  }

  @Test
  func `equal seeds give equal random numbers on a loop; another seed or another loop gives others`() {
    func draw(seed: UInt64) -> [[Double]] {
      SimulatedWorld(seed: seed, loops: 2).loops.map { loop in
        loop.eventLoop.asCurrent { (0..<8).map { _ in loop.eventLoop.nextShare() } }
      }
    }
    #expect(draw(seed: 7) == draw(seed: 7))
    #expect(draw(seed: 7) != draw(seed: 8))
    #expect(draw(seed: 7)[0] != draw(seed: 7)[1])
  }

  @Test
  func `a trace has its lines with times and a hash of them, whether lines are kept or not`() {
    let worlds = [true, false].map { SimulatedWorld(keepsTrace: $0) }
    for world in worlds {
      world.advance(by: .milliseconds(1_500))
      world.note("first")
      world.advance(by: .nanoseconds(1))
      world.note("second")
    }
    #expect(worlds[0].trace.lines == ["1.500000000 first", "1.500000001 second"])
    #expect(worlds[1].trace.lines.isEmpty)
    #expect(worlds[0].trace.hash == worlds[1].trace.hash)
    worlds[0].note("third")
    #expect(worlds[0].trace.hash != worlds[1].trace.hash)
  }

  @Test
  func `a loop that enqueues work for itself at one instant takes turns with the others`() {
    let world = SimulatedWorld(loops: 2)
    let order = Order()
    for loop in world.loops {
      func step(_ left: Int) {
        order.add(loop.eventLoop.index)
        if left > 1 { loop.execute(at: loop.now) { step(left - 1) } }
      }
      loop.execute(at: .zero) { step(3) }
    }
    world.settle()
    #expect(order.seen.filter { $0 == 0 }.count == 3 && order.seen.filter { $0 == 1 }.count == 3)
  }
}

private final class Order {
  private(set) var seen: [Int] = []

  func add(_ index: Int) {
    seen.append(index)
  }
}
