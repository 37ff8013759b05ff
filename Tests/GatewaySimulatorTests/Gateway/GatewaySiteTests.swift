import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

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

  @Test
  func `scripts of every origin, or of listed origins only, may send requests`() throws {
    let open = try gateway()
    #expect(try answer(open, "POST", "/v1/guests", [Self.elsewhere]).header("access-control-allow-origin") == "*")
    #expect(try answer(open, "POST", "/v1/guests").header("access-control-allow-origin") == nil)
    let closed = try gateway(origins: [Self.app.value])
    let allowed = try answer(closed, "POST", "/v1/guests", [Self.app])
    #expect(allowed.header("access-control-allow-origin") == Self.app.value && allowed.header("vary") == "origin")
    #expect(try answer(closed, "POST", "/v1/guests", [Self.elsewhere]).header("access-control-allow-origin") == nil)
  }

  @Test
  func `a script of another origin gets no token unless the origin is on the list, and cannot read the refusal`() throws
  {
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

  @Test
  func `a preflight is answered on every path`() throws {
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

  @Test
  func `sockets are admitted for origins on the list, and for clients without one`() throws {
    let gateway = try gateway(origins: [Self.app.value])
    let token = HTTPField("authorization", "Bearer \(gateway.token().token)")
    #expect(gateway.dial(headers: [token, Self.app]).isOpen)
    #expect(gateway.dial(headers: [token]).isOpen)
    #expect(gateway.dial(headers: [token, Self.elsewhere]).refusal == .refused(status: 403))
  }

  @Test
  func `an unknown path is answered with 404, and a wrong method with the right ones`() throws {
    let gateway = try gateway()
    #expect(try answer(gateway, "GET", "/nowhere").status == 404)
    let response = try answer(gateway, "DELETE", "/v1/guests")
    #expect(response.status == 405 && response.header("allow") == "POST")
    let metrics = try #require(gateway.order { await $0.metrics() })
    let other = [404, 405].map { LoopMetrics.HTTPAnswer(dialect: "plain", route: "other", status: $0) }
    #expect(metrics.httpRequests == [other[0]: 1, other[1]: 1], "a label never holds a path of a peer's")
  }

  @Test
  func `an echo is served only if the flag is set`() throws {
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

  @Test
  func `a socket that was admitted before a drain and opens after its begin is closed at once`() throws {
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
