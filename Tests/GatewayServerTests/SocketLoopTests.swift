import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

@Suite("Socket loops", .serialized) struct SocketLoopTests {
  @Test("a loop starts and stops, again and again, and leaves no descriptor behind")
  func startStop() async {
    // In a process of its own, where nobody else opens any.
    await #expect(processExitsWith: .success) {
      try SocketLoopTests.cycle()
      let before = openDescriptors()
      for _ in 0..<20 { try SocketLoopTests.cycle() }
      #expect(openDescriptors() == before)
    }
  }

  private static func cycle() throws {
    let loop = SocketLoop(index: 0)
    try loop.start()
    loop.stop()
    loop.stop()
  }

  @Test("open sockets hear of their end when the loop stops")
  func stopWithSockets() async throws {
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

  @Test("deadlines fire in order, never early, while work from other threads goes on")
  func deadlines() async throws {
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let sleeper = LoopSleeper(loop: loop)
    let results = await withTaskGroup(of: (Int, Bool).self) { group in
      for delay in [30, 10, 20, 0] {
        group.addTask { (delay, await sleeper.sleep(milliseconds: delay)) }
      }
      for _ in 0..<1000 { await loop.perform {} }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.map(\.0) == [0, 10, 20, 30])
    #expect(results.map(\.1) == [true, true, true, true])
  }

  @Test("a loop whose last deadline has passed rests")
  func rest() async {
    // In a process of its own, where nobody else uses the processor.
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

  @Test("the same seed gives the same chance")
  func chance() async throws {
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
