import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayFaults

struct HTTPFaultTests {
  let faulty: FaultyGateway

  init() throws {
    faulty = try FaultyGateway()
  }

  private func ask(_ method: String, _ path: String) throws -> HTTPResponse {
    try #require(try faulty.simulated.fetch(method, path, token: faulty.simulated.token(), body: "{}")?.get())
  }

  @Test(arguments: [
    (#","route": "/v1/guests""#, true, false), (#","route": "POST /v1/guests""#, true, false),
    (#","route": "GET /v1/guests""#, false, false), (#","route": "GET /v1/calls/{type}/{id}""#, false, true),
    (#","route": "/v1/calls/default/standup""#, false, true), (#","route": "/v1/calls/x""#, false, false),
    (#","route": "/v1""#, true, true), ("", true, true),
  ])
  func `HTTP requests are answered with a status, by path, by a resource's pattern, or all`(
    route: String, isGuests: Bool, isCalls: Bool
  ) throws {
    try faulty.fail(#"{"fault": "answer_with", "status": 503, "retry_after_s": 9\#(route)}"#)
    let (guests, calls) = (try ask("POST", "/v1/guests"), try ask("GET", "/v1/calls/default/standup"))
    #expect(guests.status == (isGuests ? 503 : 201) && guests.header("retry-after") == (isGuests ? "9" : nil))
    #expect((calls.status == 503) == isCalls)
    if isGuests { #expect(String(decoding: guests.body, as: UTF8.self).contains("overloaded")) }
  }

  @Test
  func `an HTTP fault leaves a resource's page access and body limit unchanged`() throws {
    var route = HTTPRoute("POST", "/photos/{id}", pages: .own) { _, _ in HTTPResponse(status: 204) }
    route.uploadBytesMax = 1 << 24
    let space = faulty.simulated.space.space
    let decorated = try #require(space.faults).decorate([route], of: space.gateway)
    #expect(decorated.map(\.pages) == [.own] && decorated.map(\.uploadBytesMax) == [1 << 24])
    #expect(decorated.map(\.pattern) == ["/photos/{id}"] && decorated.map(\.method) == ["POST"])
  }

  @Test
  func `HTTP answers come late, and once only if ordered so`() throws {
    try faulty.fail(#"{"fault": "answer_late", "by_ms": 3000, "route": "/v1/guests", "times": 1}"#)
    let began = faulty.world.now
    #expect(try ask("POST", "/v1/guests").status == 201)
    #expect(faulty.world.now == began + .seconds(3))
    #expect(try ask("POST", "/v1/guests").status == 201)
    #expect(faulty.world.now == began + .seconds(3))
  }

  @Test
  func `HTTP answers never come by order of a fault, and nothing waits for ever`() throws {
    try faulty.fail(#"{"fault": "answer_never", "times": 1}"#)
    #expect(faulty.simulated.fetch("POST", "/v1/guests", body: "{}") == .failure(.timedOut))
    #expect(try ask("POST", "/v1/guests").status == 201)
    faulty.world.advance(by: .seconds(900))
    #expect(faulty.world.nextDeadline == nil)
  }

  @Test(arguments: [false, true])
  func `withheld HTTP answers come when the fault is taken back, or the gateway ends`(byEnd: Bool) throws {
    let fault = try faulty.fail(#"{"fault": "answer_never"}"#)
    let faults = try #require(faulty.simulated.space.space.faults)
    let dialer = SimulatedDialer(faulty.simulated.network, on: faulty.simulated.space.clients)
    let asked = faulty.simulated.space.start {
      await dialer.fetch(
        HTTPRequest(method: "POST", path: "/v1/guests"), from: .gateway, timeout: .seconds(3_600))
    }
    #expect(asked.value == nil)
    if byEnd { _ = faulty.world.ask { faults.end() } } else { try faulty.mend(fault) }
    faulty.world.settle()
    #expect(try asked.value?.get().status == 201)
  }

  @Test(arguments: ["v1", "POST", "POST v1", "", " "])
  func `an HTTP fault whose route is no path is refused`(route: String) {
    #expect(throws: GatewayError.self) { try faulty.fail(#"{"fault": "answer_never", "route": "\#(route)"}"#) }
  }
}
