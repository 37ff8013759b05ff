import GatewayCore
import Testing

@testable import GatewayRedis

/// Replies that are late, in virtual time.
struct RedisLaneTests {
  private let links = ScriptedLinks()
  private let log = Log()

  // `@unchecked Sendable`: used on the test's own thread only.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    var answers: [RedisLane.Answer] = []
    /// Whether the server answers.
    var isAnswering = true
  }

  /// A lane with an open connection to a server.
  private func lane() -> RedisLane {
    links.servers["127.0.0.1:1"] = ScriptedLinks.redis("master", log.isAnswering ? "$1\r\nx\r\n" : nil)
    let settings = RedisSettings(LinkTarget(host: "127.0.0.1", port: 1))
    let lane = RedisLane(on: links, settings) { [log] in log.lines.append($0) }
    ask(lane)
    links.advance(.milliseconds(1))
    return lane
  }

  private func ask(_ lane: RedisLane) { lane.ask([RedisCommand("GET", "a")]) { [log] in log.answers.append($0) } }

  private var outcomes: [Bool] { log.answers.map { if case .success = $0 { true } else { false } } }

  @Test
  func `replies that came while the loop stood still are taken, however long that was`() throws {
    let lane = lane()
    for second in 1...10 {
      // The timer of the first question is older than the reply.
      log.isAnswering = false
      ask(lane)
      links.advance(.milliseconds(100))
      links.standStill(.seconds(second))
      links.deliver("$1\r\nx\r\n")
      links.advance(.milliseconds(1))
    }
    #expect(outcomes == Array(repeating: true, count: 11) && log.lines.isEmpty, "\(log.lines)")
    #expect(links.opened.count == 1)
  }

  @Test
  func `a server that does not answer within two seconds is left`() throws {
    let lane = lane()
    log.isAnswering = false
    ask(lane)
    links.advance(.milliseconds(1_999))
    #expect(outcomes == [true])
    links.advance(.milliseconds(5))
    #expect(outcomes == [true, false] && log.lines.contains { $0.contains("no reply within 2 s") }, "\(log.lines)")
  }

  @Test
  func `a server that does not answer is left although the loop stood still`() throws {
    let lane = lane()
    log.isAnswering = false
    ask(lane)
    links.advance(.milliseconds(100))
    links.standStill(.seconds(10))
    links.advance(.milliseconds(2))
    #expect(outcomes == [true, false], "\(log.lines)")
  }
}
