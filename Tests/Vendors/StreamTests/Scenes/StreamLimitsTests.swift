import GatewayCore
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamLimitsTests {
  private let stream: SimulatedStream

  init() throws {
    // 20 for the application and 6 for a user, for each operation and platform.
    stream = try SimulatedStream {
      var limits = StreamLimits()
      limits.applicationPerMinute = 20
      limits.userPerMinute = 6
      $0.limits = limits
    }
  }

  private func ask(_ token: String, _ path: String = "/app", client: String = "stream-video-swift") -> HTTPResponse? {
    stream.fetch(
      "GET", path,
      headers: [
        HTTPField("authorization", token), HTTPField("stream-auth-type", "jwt"), HTTPField("x-stream-client", client),
      ])
  }

  @Test
  func `rate limits are the documented ones by default, and can be scaled`() {
    #expect(StreamLimits().applicationPerMinute == 10_000 && StreamLimits().userPerMinute == 60)
    #expect(StreamLimits(scale: 0.001).userPerMinute == 1 && StreamLimits(scale: 2).applicationPerMinute == 20_000)
  }

  @Test
  func `rate limits count a user's requests separately for each operation and platform, in minutes of the clock`()
    throws
  {
    let token = stream.token()
    for left in (0..<6).reversed() {
      let response = try #require(ask(token))
      #expect(response.status == 200 && response.header("x-ratelimit-limit") == "6")
      #expect(response.header("x-ratelimit-remaining") == String(left))
    }
    let refused = try #require(ask(token))
    #expect(refused.status == 429 && String(decoding: refused.body, as: UTF8.self).contains(#""code":9"#))
    let reset = try #require(refused.header("x-ratelimit-reset").flatMap(Int64.init))
    let now = stream.world.wallTime.nanoseconds / 1_000_000_000
    #expect(reset % 60 == 0 && reset > now && reset <= now + 60)
    #expect(refused.header("retry-after") == String(reset - now))
    #expect(ask(token, "/users")?.status == 200)
    #expect(ask(token, client: "stream-video-android")?.status == 200)
    #expect(ask(stream.token("bob"))?.status == 200)
    stream.world.advance(by: .seconds(reset - now))
    #expect(ask(token)?.status == 200)
  }

  @Test
  func `rate limits of servers are the application's only`() {
    let statuses = (0..<21).map { _ in ask(stream.serverToken)?.status }
    #expect(statuses == Array(repeating: 200, count: 20) + [429])
  }

  @Test
  func `a login too many is refused with code 9`() throws {
    let clients = (0..<7).map { _ in stream.connect(stream.token()) }
    #expect(clients.prefix(6).allSatisfy { $0.isOpen })
    #expect(clients[6].texts.first?.contains(#""code":9"#) == true && !clients[6].isOpen)
  }

  @Test
  func `rate limits are off unless asked for`() throws {
    let stream = try SimulatedStream()
    let answer = stream.fetch("GET", "/app", token: stream.serverToken)
    #expect(answer?.header("x-ratelimit-limit") == nil)
  }
}
