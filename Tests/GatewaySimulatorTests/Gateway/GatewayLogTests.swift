import GatewayCore
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import Synchronization
import TestSupport
import Testing

/// A reader of a gateway's log.
private final class Reader: Sendable {
  private let stored = Mutex<[LogEvent]>([])

  var events: [LogEvent] { stored.withLock { $0 } }

  func log(_ level: LogLevel) -> GatewayLog {
    GatewayLog(level: level) { [self] event in stored.withLock { $0.append(event) } }
  }
}

struct GatewayLogTests {
  private let reader = Reader()

  private func gateway(_ level: LogLevel = .info) throws -> SimulatedGateway {
    var configuration = GatewayConfiguration(session: try SessionPolicy())
    configuration.log = reader.log(level)
    return try SimulatedGateway(configuration)
  }

  private func names(_ reader: Reader) -> [String] { reader.events.map(\.name) }

  @Test
  func `a refused login has a line in the log, before and after the upgrade`() throws {
    let gateway = try gateway()
    let expired = gateway.token(life: .seconds(-100))
    #expect(gateway.connect(expired).refusal == .refused(status: 401))
    let peer = gateway.connect()
    peer.say(gateway.dialect.encode(.refresh(expired)))
    gateway.world.settle()
    #expect(names(reader) == ["upgrade_refused", "login_refused"])
    for event in reader.events {
      #expect(event.level == .info && event["error"] == "token_expired" && event["dialect"] == "plain")
      #expect(!event.fields.contains { $0.value.contains(expired.token) })
    }
  }

  @Test
  func `a request without permission has a line in the log, and other answers have none`() throws {
    let gateway = try gateway()
    let elsewhere = [HTTPField("origin", "https://elsewhere.example")]
    for headers in [elsewhere, []] {
      _ = try gateway.fetch("POST", "/v1/tokens", headers: headers, body: #"{"user_id":"ann"}"#)?.get()
    }
    #expect(try gateway.fetch("POST", "/v1/tokens", body: "{}")?.get().status == 400)
    #expect(names(reader) == ["request_refused"])
    let event = try #require(reader.events.first)
    #expect(event.level == .info && event["route"] == "POST /v1/tokens" && event["status"] == "403")
  }

  @Test
  func `a disconnected client has a log line with user and reason, and one that leaves has none`() throws {
    let gateway = try gateway()
    let late = gateway.connect(gateway.token("late", life: .seconds(10)))
    let silent = gateway.connect()
    let rude = gateway.connect(gateway.token("rude"))
    let polite = gateway.connect(gateway.token("polite"))
    rude.violate(.protocolError)
    polite.close()
    gateway.world.advance(by: .seconds(120))
    #expect(!late.isOpen && !silent.isOpen)
    let ends = reader.events.map { "\($0.name) \($0["user"] ?? "-") \($0["reason"] ?? "-")" }
    let expected = ["cut_off rude protocol_error", "cut_off - login_timeout", "cut_off late refresh_timeout"]
    #expect(ends == expected)
  }

  @Test
  func `events of a session are logged at the debug level only`() throws {
    for (level, expected) in [
      (LogLevel.debug, ["logged_in", "refresh_requested", "refresh_refused", "refreshed", "ended"]),
      (.info, ["refresh_refused"]), (.error, []),
    ] {
      let reader = Reader()
      var configuration = GatewayConfiguration(session: try SessionPolicy())
      configuration.log = reader.log(level)
      let gateway = try SimulatedGateway(configuration)
      let peer = gateway.connect(gateway.token(life: .seconds(10)))
      gateway.world.advance(by: .seconds(10))
      peer.say(gateway.dialect.encode(.refresh(gateway.token("bob"))))
      peer.say(gateway.dialect.encode(.refresh(gateway.token())))
      gateway.world.settle()
      peer.close()
      gateway.world.settle()
      #expect(reader.events.map(\.name) == expected)
    }
  }

  @Test
  func `the log has at most twenty lines of each kind a second and loop, and the number of the others`() throws {
    let gateway = try gateway()
    let expired = gateway.token(life: .seconds(-100))
    for _ in 0..<200 { _ = gateway.connect(expired) }
    gateway.world.advance(by: .seconds(2))
    let said = names(reader).filter { $0 == "upgrade_refused" }.count
    let leftOut = reader.events.filter { $0.name == "left_out" }
    #expect(said == 40 && leftOut.count == 2 && leftOut.allSatisfy { $0["of"] == "upgrade_refused" })
    #expect(leftOut.compactMap { $0["lines"].flatMap { Int($0) } }.reduce(said, +) == 200)
    _ = gateway.connect(expired)
    #expect(names(reader).last == "upgrade_refused", "and goes on")
  }
}
