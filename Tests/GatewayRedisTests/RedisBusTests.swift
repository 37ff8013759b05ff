import GatewayCore
import GatewayServer
import TestSupport
import Testing

@testable import GatewayRedis

@Suite(.timeLimit(.minutes(20)))
struct RedisBusTests {
  private let listener = Listener()

  private func bus(_ settings: RedisSettings) async throws -> RedisBus {
    let bus = RedisBus(settings, as: .first, on: try RedisServer.links()) { _ in }
    bus.open(listener)
    try await bus.start(saying: .note(VendorNote("hello", "")))
    return bus
  }

  @Test
  func
    `a subscription that the server ends is started again, and the receiver is told that it may have missed messages`()
    async throws
  {
    let server = try RedisServer()
    let bus = try await bus(server.settings)
    let lane = RedisLane(on: try RedisServer.links(), server.settings)
    bus.send(.note(VendorNote("test", "before")))
    await listener.wait(for: 1)
    _ = await lane.ask(RedisCommand("CLIENT", "KILL", "TYPE", "pubsub"))
    while bus.figures.gaps == 0 { await Task.yield() }
    bus.send(.note(VendorNote("test", "after")))
    await listener.wait(for: 2)
    #expect(listener.heard == ["0 before", "0 after"] && listener.gaps == 1)
  }

  @Test
  func `a message that is sent when the subscription is back arrives, however long sending has failed`() async throws {
    let server = try RedisServer()
    let lane = RedisLane(on: try RedisServer.links(), server.settings)
    var settings = server.settings
    (settings.user, settings.password) = ("node", Credentials(token: "secret"))
    _ = await lane.ask(RedisCommand("ACL", "SETUSER", "node", "on", ">secret", "~*", "&*", "+@all"))
    let bus = try await bus(settings)
    bus.send(.note(VendorNote("test", "before")))
    await listener.wait(for: 1)
    // The connection that sends cannot load its scripts. It tries again after longer and longer pauses.
    _ = await lane.ask(RedisCommand("ACL", "SETUSER", "node", "-script|load"))
    _ = await lane.ask(RedisCommand("CLIENT", "KILL", "TYPE", "normal"))
    let before = try await connections(lane)
    while try await connections(lane) < before + 6 {
      bus.send(.note(VendorNote("test", "lost")))
      await bus.settle()
    }
    let lost = bus.figures.lost
    #expect(lost > 0 && !bus.isAway)
    _ = await lane.ask(RedisCommand("ACL", "SETUSER", "node", "+script|load"))
    _ = await lane.ask(RedisCommand("CLIENT", "KILL", "TYPE", "pubsub"))
    while bus.figures.gaps == 0 { await Task.yield() }
    bus.send(.note(VendorNote("test", "after")))
    await bus.settle()
    #expect(listener.heard == ["0 before", "0 after"] && bus.figures.lost == lost)
  }

  /// Returns how many connections the server has taken.
  private func connections(_ lane: RedisLane) async throws -> Int {
    let answer = await lane.ask(RedisCommand("INFO", "stats"))
    guard case .success(let replies) = answer, case .bytes(let text)? = replies.first else { return 0 }
    let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
    let line = try #require(lines.first { $0.hasPrefix("total_connections_received:") })
    return try #require(Int(line.split(separator: ":")[1]))
  }

  @Test
  func `a number that is skipped is a gap`() async throws {
    let settings = try RedisServer.sharedSettings()
    let bus = try await bus(settings)
    let lane = RedisLane(on: try RedisServer.links(), settings)
    bus.send(.note(VendorNote("test", "before")))
    await listener.wait(for: 1)
    _ = await lane.ask(RedisCommand("HINCRBY", "\(settings.prefix):meta", "bus", "5"))
    bus.send(.note(VendorNote("test", "after")))
    await listener.wait(for: 2)
    #expect(listener.gaps == 1 && bus.figures.gaps == 1)
  }

  @Test
  func `scripts that the server has forgotten are loaded again, and no message is lost`() async throws {
    let server = try RedisServer()
    let bus = try await bus(server.settings)
    let lane = RedisLane(on: try RedisServer.links(), server.settings)
    _ = await lane.ask(RedisCommand("SCRIPT", "FLUSH"))
    for number in 0..<20 { bus.send(.note(VendorNote("test", "\(number)"))) }
    await listener.wait(for: 20)
    #expect(listener.heard == (0..<20).map { "0 \($0)" } && bus.figures.lost == 0)
  }

  @Test
  func `a message that is too large, or cannot be numbered, is counted as lost, and no caller waits for it`()
    async throws
  {
    let settings = try RedisServer.sharedSettings()
    let bus = try await bus(settings)
    bus.send(.note(VendorNote("test", String(repeating: "x", count: RedisBus.bytesMax))))
    await bus.settle()
    #expect(bus.figures.lost == 1 && bus.figures.late == 0)
    let lane = RedisLane(on: try RedisServer.links(), settings)
    _ = await lane.ask(RedisCommand("HSET", "\(settings.prefix):meta", "bus", "no number"))
    bus.send(.note(VendorNote("test", "unnumbered")))
    await bus.settle()
    #expect(bus.figures.lost == 2 && bus.figures.late == 0 && listener.heard.isEmpty)
  }

  @Test
  func `a user without the rights to publish and subscribe is refused, and the error names the rights`() async throws {
    let server = try RedisServer()
    let lane = RedisLane(on: try RedisServer.links(), server.settings)
    let rights = ["+evalsha", "+script|load", "+role", "+client|setname", "+hincrby"]
    var settings = server.settings
    (settings.user, settings.password) = ("node", Credentials(token: "secret"))
    let keys = ["on", ">secret", "~\(settings.prefix)*", "resetchannels", "-@all"]
    for more in [[], ["&\(settings.prefix)*", "+subscribe", "+ping"]] {
      var command = RedisCommand("ACL", "SETUSER", "node")
      for word in keys + rights + more { command.append(word) }
      _ = await lane.ask(command)
      let bus = RedisBus(settings, as: .first, on: try RedisServer.links()) { _ in }
      let error = await #expect(throws: RedisStartError.self) { try await bus.start(saying: .note(VendorNote("", ""))) }
      #expect(error?.description.contains(bytesOf: "+publish +subscribe +ping") == true && error?.isLasting == true)
    }
  }
}
