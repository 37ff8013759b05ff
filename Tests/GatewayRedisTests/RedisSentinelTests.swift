import GatewayCore
import Testing

@testable import GatewayRedis

/// A lane that asks Sentinels for its server, in virtual time.
struct RedisSentinelTests {
  private let links = ScriptedLinks()
  private let log = Log()

  // `@unchecked Sendable`: used on the test's own thread only.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    var answers: [RedisLane.Answer] = []
  }

  private static func text(_ words: String...) -> String {
    "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
  }

  /// A Sentinel that names that port of this machine.
  private static func sentinel(_ port: Int) -> ScriptedLinks.Server { { _ in text("127.0.0.1", "\(port)") } }

  private func lane(
    _ sentinels: Int = 3, subscription: RedisSubscription? = nil, _ change: (inout RedisSentinels) -> Void = { _ in }
  ) throws -> RedisLane {
    let targets = (1...sentinels).map { LinkTarget(host: "127.0.0.1", port: $0) }
    var known = try #require(RedisSentinels(targets, name: "mymaster"))
    change(&known)
    return RedisLane(on: links, RedisSettings(known, isTLS: false), subscription: subscription) { [log] in
      log.lines.append($0)
    }
  }

  private func ask(_ lane: RedisLane) { lane.ask([RedisCommand("GET", "a")]) { [log] in log.answers.append($0) } }

  private var addresses: [String] { links.opened.map(\.address) }

  private func port(_ number: Int) -> String { "127.0.0.1:\(number)" }

  @Test
  func `a command goes to the server that the first Sentinel names`() throws {
    links.servers = [port(1): Self.sentinel(7000), port(7000): ScriptedLinks.redis()]
    let lane = try lane()
    ask(lane)
    links.advance(.milliseconds(1))
    #expect(log.answers == [.success([.null])] && addresses == [port(1), port(7000)])
    #expect(links.openLinks.map(\.address) == [port(7000)], "the link to the Sentinel is closed")
  }

  @Test
  func `a Sentinel that is away or silent is passed over, and the command needs no second attempt`() throws {
    links.servers = [port(3): Self.sentinel(7000), port(7000): ScriptedLinks.redis()]
    links.silent = [port(2)]
    let lane = try lane()
    ask(lane)
    links.advance(.milliseconds(240))
    #expect(addresses == [port(1), port(2)] && log.answers.isEmpty)
    links.advance(.milliseconds(20))
    #expect(addresses == [port(1), port(2), port(3), port(7000)] && log.answers == [.success([.null])])
    links.advance(.seconds(10))
    #expect(links.openLinks.map(\.address) == [port(7000)] && log.lines.isEmpty)
  }

  @Test
  func `an answer of READONLY and a lost link both ask Sentinel again`() throws {
    links.servers = [
      port(1): Self.sentinel(7000), port(7000): ScriptedLinks.redis("master", "-READONLY it is a replica\r\n"),
    ]
    let lane = try lane()
    ask(lane)
    links.advance(.milliseconds(1))
    links.servers[port(1)] = Self.sentinel(7001)
    links.servers[port(7001)] = ScriptedLinks.redis()
    links.advance(.milliseconds(60))
    ask(lane)
    links.advance(.milliseconds(1))
    #expect(addresses == [port(1), port(7000), port(1), port(7001)] && log.answers.last == .success([.null]))
    links.servers[port(1)] = Self.sentinel(7002)
    links.servers[port(7002)] = ScriptedLinks.redis()
    links.servers[port(7001)] = nil
    links.cut(port(7001))
    links.advance(.milliseconds(60))
    ask(lane)
    links.advance(.milliseconds(1))
    #expect(addresses.last == port(7002) && log.answers.last == .success([.null]))
  }

  @Test
  func `a Sentinel that still names the old primary is not asked first the next time`() throws {
    links.servers = [
      port(1): Self.sentinel(7000), port(2): Self.sentinel(7001), port(7000): ScriptedLinks.redis("slave"),
      port(7001): ScriptedLinks.redis(),
    ]
    let lane = try lane()
    ask(lane)
    links.advance(.milliseconds(100))
    #expect(addresses == [port(1), port(7000), port(2), port(7001)])
    #expect(
      log.lines.count == 1 && log.lines[0].contains("127.0.0.1:7000: Sentinel names it, but it is not the primary"))
  }

  @Test
  func `a subscription follows to the new primary and begins there again`() throws {
    // `@unchecked Sendable`: used on the test's own thread only.
    final class Count: @unchecked Sendable { var opened = 0, closed = 0 }
    let count = Count()
    links.servers = [
      port(1): Self.sentinel(7000), port(7000): ScriptedLinks.redis(), port(7001): ScriptedLinks.redis(),
    ]
    let lane = try lane(
      subscription: RedisSubscription(
        channel: "c", opened: { count.opened += 1 }, received: { _ in }, closed: { count.closed += 1 }))
    ask(lane)
    links.advance(.milliseconds(1))
    #expect(count.opened == 1)
    links.servers[port(1)] = Self.sentinel(7001)
    links.cut(port(7000))
    links.advance(.milliseconds(60))
    #expect(addresses.last == port(7001) && count.opened == 2 && count.closed == 1)
  }

  @Test
  func `the delay between attempts grows to two seconds and no further`() throws {
    let lane = try lane(1)
    ask(lane)
    links.advance(.seconds(60))
    let times = links.opened.map(\.at)
    let delays = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(delays.count > 20 && delays[0] <= .milliseconds(50) && delays.dropFirst(6).allSatisfy { $0 >= .seconds(1) })
    #expect(delays.allSatisfy { $0 >= .milliseconds(25) && $0 <= .seconds(2) } && Set(delays).count > delays.count / 2)
    #expect(log.answers == [.failure(.notSent("Redis 'mymaster': Sentinel at 127.0.0.1:1: connection refused"))])
  }

  @Test
  func `a search ends after two seconds if no Sentinel answers`() throws {
    links.silent = [port(1), port(2), port(3)]
    let lane = try lane()
    ask(lane)
    links.advance(.seconds(2))
    #expect(log.answers == [.failure(.notSent("Redis 'mymaster': no Sentinel answers within 2 s"))])
    #expect(links.openLinks.isEmpty)
  }

  @Test(arguments: [
    ("*-1\r\n", "it knows no primary named 'mymaster'; check the name in --store"),
    ("-NOAUTH Authentication required.\r\n", "give a --store-sentinel-password-file"),
    ("-WRONGPASS invalid\r\n", "see --store-sentinel-password-file"),
    ("-NOPERM no\r\n", "+sentinel|get-master-addr-by-name"),
    ("-ERR unknown command 'SENTINEL'\r\n", "it is no Sentinel"), ("+OK\r\n", "it answers as no Sentinel does"),
    ("*2\r\n$1\r\na\r\n$5\r\n65536\r\n", "it answers as no Sentinel does"),
    ("*2\r\n$3\r\na b\r\n$1\r\n1\r\n", "it answers as no Sentinel does"),
    ("*2\r\n$4\r\na:80\r\n$1\r\n1\r\n", "it answers as no Sentinel does"),
    ("*2\r\n$1\r\na\r\n$2\r\n-1\r\n", "it answers as no Sentinel does"), ("HTTP/1.1 400\r\n", "as no Sentinel does"),
    ("$5000\r\n" + String(repeating: "a", count: 5000), "its answer is too long for a Sentinel"),
    ("*2\r\n$8\r\n10.0.0.1\r\n$1\r\n1\r\n", "use rediss+sentinel://, or --store-allow-plain"),
  ])
  func `an answer that names no usable primary is reported with what to do`(reply: String, words: String) throws {
    links.servers = [port(1): { _ in reply }]
    let lane = try lane(1)
    ask(lane)
    links.advance(.milliseconds(1))
    guard case .failure(.notSent(let reason))? = log.answers.first else {
      Issue.record("\(log.answers)")
      return
    }
    #expect(reason.contains(words) && !addresses.contains("10.0.0.1:1"), "\(reason)")
  }

  @Test
  func `a Sentinel's own password is sent to Sentinels only`() throws {
    // `@unchecked Sendable`: used on the test's own thread only.
    final class Seen: @unchecked Sendable { var sentinel: [[String]] = [], redis: [[String]] = [] }
    let seen = Seen()
    let server = ScriptedLinks.redis()
    links.servers[port(1)] = { command in
      seen.sentinel.append(command)
      return command[0] == "AUTH" ? "+OK\r\n" : Self.text("127.0.0.1", "7000")
    }
    links.servers[port(7000)] = { command in
      seen.redis.append(command)
      return server(command)
    }
    let lane = try lane(1) { ($0.user, $0.password) = ("eve", Credentials(token: "a secret")) }
    ask(lane)
    links.advance(.milliseconds(1))
    #expect(seen.sentinel == [["AUTH", "eve", "a secret"], ["SENTINEL", "get-master-addr-by-name", "mymaster"]])
    #expect(log.answers == [.success([.null])] && !seen.redis.contains { $0[0] == "AUTH" })
  }

  @Test
  func `a list of Sentinels has at most sixteen, none twice, and a name that Sentinel accepts`() {
    func targets(_ count: Int) -> [LinkTarget] { (0..<count).map { LinkTarget(host: "h", port: $0 + 1) } }
    #expect(RedisSentinels(targets(16), name: "my-master_1.a") != nil)
    #expect(RedisSentinels(targets(17), name: "a") == nil && RedisSentinels([], name: "a") == nil)
    #expect(RedisSentinels(targets(1) + targets(1), name: "a") == nil)
    for name in ["", "a b", "a/0", "ä", String(repeating: "a", count: 101)] {
      #expect(RedisSentinels(targets(1), name: name) == nil)
    }
  }
}
