import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@Suite("The gateway's port")
struct GatewaySiteTests {
  private static let app = HTTPField("origin", "https://app.example")
  private static let elsewhere = HTTPField("origin", "https://elsewhere.example")

  private func gateway(origins: Set<String>? = nil, echoes: Bool = false) throws -> SimulatedGateway {
    try SimulatedGateway(
      GatewayConfiguration(session: try SessionPolicy(), allowedOrigins: origins, offersEcho: echoes))
  }

  private func answer(
    _ gateway: SimulatedGateway, _ method: String, _ path: String, _ headers: [HTTPField] = []
  ) throws -> HTTPResponse {
    try #require(try gateway.fetch(method, path, headers: headers, body: "{}")?.get())
  }

  @Test("lets scripts of every origin ask, or of those on the list")
  func origins() throws {
    let open = try gateway()
    #expect(try answer(open, "POST", "/v1/guests", [Self.elsewhere]).header("access-control-allow-origin") == "*")
    #expect(try answer(open, "POST", "/v1/guests").header("access-control-allow-origin") == nil)
    let closed = try gateway(origins: [Self.app.value])
    let allowed = try answer(closed, "POST", "/v1/guests", [Self.app])
    #expect(allowed.header("access-control-allow-origin") == Self.app.value && allowed.header("vary") == "origin")
    #expect(try answer(closed, "POST", "/v1/guests", [Self.elsewhere]).header("access-control-allow-origin") == nil)
  }

  @Test("mints for no script of another origin, unless that is on the list, and lets none read a refusal")
  func provider() throws {
    func mint(_ gateway: SimulatedGateway, _ headers: [HTTPField]) throws -> HTTPResponse {
      try #require(try gateway.fetch("POST", "/v1/tokens", headers: headers, body: #"{"user_id":"ann"}"#)?.get())
    }
    let open = try gateway()
    #expect(try mint(open, []).status == 200)
    let refused = try mint(open, [Self.elsewhere])
    #expect(refused.status == 403 && refused.header("access-control-allow-origin") == nil)
    let closed = try gateway(origins: [Self.app.value])
    #expect(try mint(closed, [Self.app]).header("access-control-allow-origin") == Self.app.value)
    #expect(try mint(closed, [Self.elsewhere]).status == 403)
  }

  @Test("answers a preflight on every path")
  func preflight() throws {
    let gateway = try gateway()
    let response = try answer(
      gateway, "OPTIONS", "/v1/calls/default/standup",
      [
        Self.app, HTTPField("access-control-request-method", "POST"),
        HTTPField("access-control-request-headers", "authorization"),
      ])
    #expect(response.status == 204)
    #expect(response.header("access-control-allow-methods")?.contains("POST") == true)
    #expect(response.header("access-control-allow-headers") == "authorization")
  }

  @Test("admits sockets of the origins on the list, and of clients that name none")
  func socketOrigins() throws {
    let gateway = try gateway(origins: [Self.app.value])
    let token = HTTPField("authorization", "Bearer \(gateway.token().token)")
    #expect(gateway.dial(headers: [token, Self.app]).isOpen)
    #expect(gateway.dial(headers: [token]).isOpen)
    #expect(gateway.dial(headers: [token, Self.elsewhere]).refusal == .refused(status: 403))
  }

  @Test("says what it has not, and which methods a path has")
  func notThere() throws {
    let gateway = try gateway()
    #expect(try answer(gateway, "GET", "/nowhere").status == 404)
    let response = try answer(gateway, "DELETE", "/v1/guests")
    #expect(response.status == 405 && response.header("allow") == "POST")
    let metrics = try #require(gateway.order { await $0.metrics() })
    let other = [404, 405].map { LoopMetrics.HTTPAnswer(dialect: "plain", route: "other", status: $0) }
    #expect(metrics.httpRequests == [other[0]: 1, other[1]: 1], "a label never holds a path of a peer's")
  }

  @Test("echoes where the flag says so, and nowhere else")
  func echo() throws {
    for isOffered in [true, false] {
      let gateway = try gateway(echoes: isOffered)
      let peer = SimulatedPeer(
        gateway.network, on: gateway.world.loops[2], to: DialTarget.gateway,
        upgrade: HTTPRequest(method: "GET", path: "/echo"))
      gateway.world.settle()
      peer.say("hello")
      gateway.world.settle()
      #expect(peer.texts == (isOffered ? ["hello"] : []))
      #expect(peer.refusal == (isOffered ? nil : .refused(status: 404)))
    }
  }

  @Test("closes at once who was admitted before a drain began and opens after it")
  func admittedBeforeDrain() throws {
    let gateway = try gateway()
    let loop = gateway.world.loop.eventLoop
    let upgrade = HTTPRequest(
      method: "GET", path: "/v1/connect", headers: [HTTPField("authorization", "Bearer \(gateway.token().token)")])
    guard case .accept(let connection, _) = loop.asCurrent({ gateway.gateway.admit(upgrade, on: loop) }) else {
      Issue.record("a good token is admitted")
      return
    }
    let isDrained: Bool? = gateway.order {
      await $0.drain(over: .seconds(10))
      return true
    }
    #expect(isDrained == true)
    let socket = RecordingSocket()
    loop.asCurrent { connection.socketOpened(socket) }
    #expect(socket.closes == [.serviceRestart])
  }
}

/// A socket that records how it was closed.
///
/// `@unchecked Sendable`: used only by the thread that runs the world.
private final class RecordingSocket: Socket, @unchecked Sendable {
  private(set) var closes: [CloseReason] = []
  let peer = "127.0.0.1"
  let acceptedAt = Instant.zero
  var answersPings = true
  var answersClose = true

  func send(_ frame: Frame) -> SendOutcome { .sent }
  func ping() {}
  func close(_ reason: CloseReason) { closes.append(reason) }
  func abort() {}
  func reset() {}
  func stopReading() {}
  func goOnReading() {}
}
