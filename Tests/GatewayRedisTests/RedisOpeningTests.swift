import GatewayCore
import GatewayKit
import Glibc
import TestSupport
import Testing

@testable import GatewayRedis

struct RedisOpeningTests {
  private static let good = [
    "redis_version": "7.0.15", "role": "master", "maxmemory_policy": "noeviction", "aof_enabled": "1",
    "connected_slaves": "0",
  ]

  private func fault(_ changes: [String: String], _ change: (inout RedisSettings) -> Void = { _ in }) -> String? {
    var settings = RedisSettings(LinkTarget(host: "localhost", port: 6379))
    change(&settings)
    let values = Self.good.merging(changes) { _, new in new }
    return RedisStore.fault(in: "# Server\r\n" + values.map { "\($0):\($1)\r\n" }.joined(), for: settings)
  }

  @Test
  func `a server is accepted if it is new, a primary, and stores what it is sent`() {
    #expect(fault([:]) == nil)
    #expect(fault(["redis_version": "7.2.4", "valkey_version": "8.1.1"]) == nil)
    #expect(fault(["aof_enabled": "0"]) { $0.allowsVolatile = true } == nil)
    #expect(fault(["connected_slaves": "2"]) { $0.replicas = 2 } == nil)
  }

  @Test
  func `a server that would lose rows is refused, and the error says what to change`() {
    #expect(fault(["redis_version": "6.2.1"])?.contains("use Redis 7.0 or later") == true)
    #expect(fault(["redis_version": "\u{1b}[0m"]) != nil)
    #expect(fault(["role": "slave"])?.contains("name the primary") == true)
    #expect(fault(["maxmemory_policy": "allkeys-lru"])?.contains("set maxmemory-policy noeviction") == true)
    #expect(fault(["aof_enabled": "0"])?.contains("set appendonly yes") == true)
    #expect(fault([:]) { $0.replicas = 1 }?.contains("--store-replicas") == true)
    #expect(RedisStore.fault(in: "", for: RedisSettings(LinkTarget(host: "", port: 1))) != nil)
  }

  @Test(arguments: [("{postern}", true), ("{a:b.c_d-9}", true), ("{}", false), ("postern", false), ("{a b}", false)])
  func `a prefix is a hash tag of plain letters`(text: String, isPrefix: Bool) {
    #expect(RedisSettings.isPrefix(text) == isPrefix)
  }

  @Test
  func `two processes never have the same prefix, and the next one gets it after an orderly end`() async throws {
    var settings = try RedisServer.sharedSettings()
    settings.allowsVolatile = true
    settings.owner = "the first"
    let links = [try RedisServer.links()]
    let first = try await RedisStore.open(settings, on: links) { _ in }
    let error = await #expect(throws: RedisStartError.self) {
      _ = try await RedisStore.open(settings, on: links) { _ in }
    }
    #expect(error?.description.contains("the first") == true && error?.isLasting == false)
    let key = StoreTable<Count>("tests.count").key("a")
    let now = await now()
    #expect(try await first.commit(StoreCommit(writes: [.init(key, Count(number: 1))]), at: now))
    await first.close()
    let second = try await RedisStore.open(settings, on: links) { _ in }
    #expect(try await second.get(key, as: Count.self, at: now)?.number == 1)
    await second.close()
  }

  @Test
  func `a commit is refused once another process has the lease`() async throws {
    var settings = try RedisServer.sharedSettings()
    settings.allowsVolatile = true
    let store = try await RedisStore.open(settings, on: [try RedisServer.links()]) { _ in }
    let key = StoreTable<Count>("tests.count").key("a")
    let now = await now()
    #expect(try await store.commit(StoreCommit(writes: [.init(key, Count(number: 1))]), at: now))
    _ = await store.lanes[0].ask(RedisCommand("SET", "\(settings.prefix):lease", "another"))
    await #expect(throws: StoreError.self) {
      try await store.commit(StoreCommit(writes: [.init(key, Count(number: 2))]), at: now)
    }
    // Once it has noticed, it reads nothing either.
    if let kept = try? await store.get(key, as: Count.self, at: now) { #expect(kept.number == 1) }
    await store.close()
  }

  @Test
  func `a commit whose time is far from the server's is refused`() async throws {
    let store = RedisStore(try RedisServer.sharedSettings(), on: [try RedisServer.links()])
    let write = StoreCommit.Write(StoreTable<Count>("tests.count").key("a"), Count(number: 1))
    await #expect(throws: StoreError.self) {
      try await store.commit(StoreCommit(writes: [write]), at: WallTime(seconds: 1_000))
    }
  }

  @Test
  func `a commit of too many rows is refused before it is sent`() async throws {
    let store = try RedisServer.store()
    let table = StoreTable<Count>("tests.count")
    let writes = (0...RedisStore.writesMax).map { StoreCommit.Write(table.key("\($0)"), Count(number: $0)) }
    let error = await #expect(throws: StoreError.self) {
      try await store.commit(StoreCommit(writes: writes), at: WallTime(seconds: 1_000))
    }
    #expect(error == .unavailable("commit of \(writes.count) writes; at most \(RedisStore.writesMax)"))
  }

  @Test
  func `an unreachable server is reported as such, and no caller waits for ever`() async throws {
    let settings = RedisSettings(LinkTarget(host: "127.0.0.1", port: 1))
    let error = await #expect(throws: RedisStartError.self) {
      _ = try await RedisStore.open(settings, on: [try RedisServer.links()]) { _ in }
    }
    #expect(error?.description.contains("Redis at 127.0.0.1:1") == true)
  }

  @Test
  func `a damaged row is refused, or set aside if the operator asks for that`() async throws {
    let settings = try RedisServer.sharedSettings()
    let links = [try RedisServer.links()]
    let (strict, lenient) = (
      RedisStore(settings, on: links, checksClock: false),
      RedisStore(settings, on: links, checksClock: false, setsDamagedAside: true)
    )
    let now = WallTime(seconds: 1_000)
    let key = StoreTable<Count>("tests.count").key("a")
    let count = StoreCount("tests.all", atMost: 1, of: "rows")
    #expect(try await strict.commit(StoreCommit(writes: [.init(key, Count(number: 1), in: [count])]), at: now))
    for garbage in ["", "x", String(repeating: "\u{1}", count: 100)] {
      var command = RedisCommand("HSET", "\(settings.prefix):rows")
      command.append(key.path.bytes)
      command.append(garbage)
      _ = await strict.lanes[0].ask(command)
      await #expect(throws: StoreError.self) { try await strict.read([key], at: now) }
      #expect(try await lenient.read([key], at: now)[0] == nil)
      #expect(try await strict.read([key], at: now)[0] == nil)
    }
  }

  private func now() async -> WallTime {
    var time = timespec()
    timespec_get(&time, TIME_UTC)
    return WallTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

private struct Count: StoreValue {
  var number: Int
}
