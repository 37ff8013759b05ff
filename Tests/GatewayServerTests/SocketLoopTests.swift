import GatewayCore
import GatewayRuntime
import GatewayServer
import TestTraits
import Testing

@Suite(.serialized) struct SocketLoopTests {
  @Test
  func `a loop starts and stops, again and again, and leaves no descriptor behind`() async {
    // In its own process, in which no other test opens any.
    await #expect(processExitsWith: .success) {
      try SocketLoopTests.cycle()
      let before = openDescriptors()
      for _ in 0..<20 { try SocketLoopTests.cycle() }
      // The runtime opens some descriptors of its own at any time.
      #expect(openDescriptors() - before < 10)
    }
  }

  private static func cycle() throws {
    let loop = SocketLoop(index: 0)
    try loop.start()
    loop.stop()
    loop.stop()
  }

  @Test(.long)
  func `connections that come and go on several loops at once leave each loop a good end`() async {
    // An error there ends the process: from libwebsockets 4.3 on all contexts share one counter without a lock.
    await #expect(processExitsWith: .success) {
      for _ in 0..<4 {
        try await TestServer.with(loops: 3) { server in
          try await withThrowingTaskGroup { group in
            for _ in 0..<6 {
              group.addTask {
                for _ in 0..<150 {
                  let client = try RawClient.open(port: server.port)
                  try client.sendText("x")
                  #expect(try client.readFrame().text == "x")
                }
              }
            }
            try await group.waitForAll()
          }
        }
      }
    }
  }

  @Test
  func `open sockets are told of their end when the loop stops`() async throws {
    let events = SocketEvents()
    let loop = SocketLoop(index: 0)
    try loop.start()
    let listener = try await Listener.start(
      Listener.Settings(host: "127.0.0.1", port: 0), serving: TestSite.recording(events), on: [loop])
    let client = try RawClient.open(port: listener.port)
    #expect(await events.next() == .opened)
    loop.stop()
    #expect(await events.next() == .closed(nil))
    #expect(try client.readToEnd().isEmpty)
  }

  @Test
  func `a sleeper on a loop wakes when it stops, and does not sleep again`() async throws {
    let loop = SocketLoop(index: 0)
    try loop.start()
    let sleeper = LoopSleeper(loop: loop)
    // A task without a preferred executor is resumed elsewhere, and returns when the loop may be gone.
    let once = Task(executorPreference: loop.events) { await sleeper.sleep(for: .seconds(3600)) }
    let twice = Task(executorPreference: loop.events) { await sleeper.sleepTwice(for: .seconds(3600)) }
    while await loop.perform({ loop.events.deadlines.count }) < 2 {}
    loop.stop()
    #expect(await !once.value)
    #expect(await !twice.value)
  }

  @Test
  func `deadlines fire in order, never early, while work from other threads goes on`() async throws {
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let (fired, fire) = AsyncStream<(Int, Bool)>.makeStream()
    await loop.perform {
      for delay in [30, 10, 20, 0] {
        let deadline = loop.events.now + .milliseconds(delay)
        let alarm = Alarm { fire.yield((delay, loop.events.now >= deadline)) }
        loop.events.deadlines.set(alarm.wakeup, at: deadline)
      }
    }
    for _ in 0..<1000 { await loop.perform {} }
    var results: [(Int, Bool)] = []
    for await result in fired {
      results.append(result)
      if results.count == 4 { break }
    }
    #expect(results.map(\.0) == [0, 10, 20, 30])
    #expect(results.map(\.1) == [true, true, true, true])
  }

  @Test
  func `a loop whose last deadline has passed rests`() async {
    // In its own process, in which no other test uses the processor.
    await #expect(processExitsWith: .success) {
      let loops = (0..<2).map { SocketLoop(index: $0) }
      for loop in loops { try loop.start() }
      await LoopSleeper(loop: loops[0]).sleep(for: .nanoseconds(1))
      let before = processorTime()
      await LoopSleeper(loop: loops[1]).sleep(milliseconds: 500)
      #expect(processorTime() - before < 0.1)
      loops.forEach { $0.stop() }
    }
  }

  @Test
  func `the same seed gives the same chance`() async throws {
    func shares(_ seed: UInt64) async throws -> [Double] {
      let loop = SocketLoop(index: 0, seed: seed)
      try loop.start()
      defer { loop.stop() }
      return await loop.perform { (0..<5).map { _ in loop.events.nextShare() } }
    }
    let seven = try await shares(7)
    let again = try await shares(7)
    let eight = try await shares(8)
    #expect(seven == again)
    #expect(seven != eight)
  }
}

/// A waiter that runs an action at a deadline, and retains itself until then.
///
/// `@unchecked Sendable`: used on one loop.
private final class Alarm: WakeupTarget, @unchecked Sendable {
  private let action: () -> Void
  private(set) var wakeup: Wakeup!
  private var keepAlive: Alarm?

  init(_ action: @escaping () -> Void) {
    self.action = action
    wakeup = Wakeup(target: self)
    keepAlive = self
  }

  func wakeUp() {
    keepAlive = nil
    action()
  }
}
