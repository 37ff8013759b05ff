import GatewayCore
import GatewayProxy
import GatewayRuntime
import GatewaySimulator
import Testing

/// Requests whose bodies come in pieces, in virtual time.
struct PassedBodyTests {
  /// A request with that many pieces of 1000 bytes, which may be cut off at their end. `taken` counts what was asked for.
  private static func request(
    pieces count: Int, isCut: Bool = false, taken: Taken = Taken(), fields: [HTTPField] = []
  ) -> HTTPRequest {
    var request = HTTPRequest(
      method: "PUT", path: "/up", headers: [HTTPField("host", "proxy"), HTTPField("expect", "100-continue")] + fields)
    request.stream = HTTPStream(endsByItself: true, isCut: { isCut }) {
      guard taken.count < count else { return nil }
      taken.count += 1
      return [UInt8](repeating: UInt8(truncatingIfNeeded: taken.count), count: 1000)
    }
    return request
  }

  /// A count of pieces.
  ///
  /// `@unchecked Sendable`: touched only by the thread that runs the world.
  private final class Taken: @unchecked Sendable {
    var count = 0
  }

  /// Returns the proxy's answer, and how long it took.
  private func ask(_ proxied: ProxyWorld, _ request: HTTPRequest) -> (answer: HTTPResponse?, took: Duration) {
    let site = ProxySite(proxied.route, guarding: PageGuard(hosts: ["proxy"], pages: .any))
    let loop = proxied.world.loops[0].eventLoop
    let began = proxied.world.now
    let answer = proxied.world.ask { await site.respond(to: request, on: loop) }
    return (answer, proxied.world.now - began)
  }

  @Test
  func `the target gets the body, with its length if that is known`() throws {
    let proxied = ProxyWorld()
    for fields in [[HTTPField("content-length", "3000")], [HTTPField("transfer-encoding", "chunked")]] {
      let (answer, _) = ask(proxied, Self.request(pieces: 3, fields: fields))
      #expect(answer?.status == 201)
      let seen = try #require(proxied.site.requests.last)
      #expect(seen.body.count == 3000 && Set(seen.body) == [1, 2, 3])
      #expect(seen.header("content-length") == (fields[0].name == "content-length" ? "3000" : nil))
      #expect(seen.header("expect") == nil && seen.header("transfer-encoding") == nil)
    }
  }

  @Test
  func `a body takes the time that the limit of bytes per second gives it`() {
    let proxied = ProxyWorld(limits: ProxyLimits(connections: 1, bytesPerSecond: 500), isLocal: false)
    let (answer, took) = ask(proxied, Self.request(pieces: 10, fields: [HTTPField("content-length", "10000")]))
    #expect(answer?.status == 201)
    // A second's bytes are free.
    #expect(took >= .seconds(19) && took < .seconds(21))
    let (next, _) = ask(proxied, HTTPRequest(method: "GET", path: "/", headers: [HTTPField("host", "proxy")]))
    #expect(next?.status == 201)
  }

  @Test
  func `a body that its client cuts off is no failure of the target`() {
    let proxied = ProxyWorld(isControlled: true)
    let (answer, _) = ask(proxied, Self.request(pieces: 2, isCut: true))
    #expect(answer?.status == 502 && proxied.site.requests.isEmpty)
    #expect(proxied.lines(.upstreamFailed).isEmpty && proxied.lines(.httpAnswered).count == 1)
  }

  @Test
  func `a fault that answers takes nothing of the body, and one that asks the target first takes it once`() throws {
    let proxied = ProxyWorld(isControlled: true)
    let taken = Taken()
    let fault = try proxied.fail(#"{"fault": "answer_with", "route": "PUT /up", "status": 503}"#)
    #expect(ask(proxied, Self.request(pieces: 3, taken: taken)).answer?.status == 503)
    #expect(taken.count == 0 && proxied.site.requests.isEmpty)
    try proxied.mend(fault)
    try proxied.fail(#"{"fault": "answer_with", "after": "upstream", "route": "PUT /up", "status": 503}"#)
    #expect(ask(proxied, Self.request(pieces: 3, taken: taken)).answer?.status == 503)
    #expect(taken.count == 3 && proxied.site.requests.map(\.body.count) == [3000])
  }

  @Test
  func `requests that the proxy refuses take nothing of the body`() {
    let proxied = ProxyWorld(isLocal: false)
    let taken = Taken()
    for (field, status) in [("postern-storm", 403), ("via", 508)] {
      let request = Self.request(pieces: 3, taken: taken, fields: [HTTPField(field, "1.1 postern-1")])
      #expect(ask(proxied, request).answer?.status == status)
    }
    #expect(taken.count == 0 && proxied.site.requests.isEmpty)
  }
}
