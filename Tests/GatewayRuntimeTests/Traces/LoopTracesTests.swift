import GatewayCore
import GatewaySimulator
import Testing

@testable import GatewayRuntime

@Suite struct LoopTracesTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let parent = "b7ad6b7169203331"

  /// One loop's traces in virtual time.
  private struct Scene {
    let world = SimulatedWorld(seed: 1, loops: 1, keepsTrace: false)
    let traces: LoopTraces

    init(share: Double, namesUsers: Bool = false) {
      let loop = world.loops[0].eventLoop
      traces = loop.asCurrent {
        LoopTraces(TraceSettings(share: share, namesUsers: namesUsers, seed: 7), on: loop)
      }
    }

    func run(_ body: @escaping @Sendable (LoopTraces) -> Void) {
      let traces = traces
      _ = world.ask { body(traces) }
    }

    var spans: [SpanRecord] { traces.take(.max).spans }
  }

  private static func request(_ value: String? = nil, flags: String = "01", byProxy: Bool = false) -> HTTPRequest {
    let value = value ?? "00-\(trace)-\(parent)-\(flags)"
    var request = HTTPRequest(method: "GET", path: "/", headers: [HTTPField("traceparent", value)])
    request.cameByProxy = byProxy
    return request
  }

  @Test func `an operation is part of the trace that its request names`() throws {
    let scene = Scene(share: 0)
    scene.run { $0.begin("connect", for: Self.request(), dialect: "plain").end(status: 101) }
    let spans = scene.spans
    let span = try #require(spans.first)
    #expect(spans.count == 1 && span.trace.description == Self.trace && span.parent.hexDigits == Self.parent)
    #expect(span.hasRemoteParent && span.isSampled && span.span != 0 && span.span != span.parent)
    #expect((span.status, span.dialect, span.error) == (101, "plain", nil))
  }

  @Test(arguments: [
    "", "00", "00-\(trace)-\(parent)", "00-\(String(repeating: "0", count: 32))-\(parent)-01",
    "00-\(trace)-0000000000000000-01", "ff-\(trace)-\(parent)-01", "00-\(trace.uppercased())-\(parent)-01",
    "00-\(trace)-\(parent)-01-more", "00_\(trace)_\(parent)_01",
  ])
  func `a malformed traceparent begins a trace`(value: String) throws {
    let scene = Scene(share: 1)
    scene.run { $0.begin("connect", for: Self.request(value), dialect: "plain").end() }
    let span = try #require(scene.spans.first)
    #expect(span.trace.description != Self.trace && span.parent == 0 && !span.hasRemoteParent)
  }

  @Test func `two traceparent fields name no trace`() throws {
    let scene = Scene(share: 1)
    scene.run { traces in
      var request = Self.request()
      request.headers += request.headers
      traces.begin("connect", for: request, dialect: "plain").end()
    }
    #expect(try #require(scene.spans.first).parent == 0)
  }

  @Test func `one in a hundred new traces is recorded, by the lower half of its number`() {
    let scene = Scene(share: 0.01)
    scene.run { traces in for _ in 0..<100_000 { traces.begin("refresh", .server, dialect: nil).end() } }
    let spans = scene.spans
    #expect((850...1_150).contains(spans.count), "\(spans.count) of 100,000")
    #expect(spans.allSatisfy { $0.isSampled && $0.trace.low >> 1 < UInt64(0.01 * 0x1p63) })
    #expect(Set(spans.map(\.trace)).count == spans.count && Set(spans.map(\.span)).count == spans.count)
  }

  @Test func `a share of 0 records no trace, and of 1 every one`() {
    for (share, count) in [(0.0, 0), (1, 1_000)] {
      let scene = Scene(share: share)
      scene.run { traces in for _ in 0..<1_000 { traces.begin("refresh", .server, dialect: nil).end() } }
      #expect(scene.spans.count == count)
    }
  }

  @Test func `callers choose a hundred traces a second, by the flag or by the number`() {
    for (share, flags) in [(0.0, "01"), (1, "00"), (1, "01")] {
      let scene = Scene(share: share)
      let ask: @Sendable (LoopTraces) -> Void = { traces in
        for _ in 0..<1_000 { traces.begin("connect", for: Self.request(flags: flags), dialect: "plain").end() }
      }
      scene.run(ask)
      #expect(scene.spans.count == 100)
      scene.run(ask)
      #expect(scene.spans.isEmpty)
      scene.world.advance(by: .seconds(0.5))
      scene.run(ask)
      #expect((49...51).contains(scene.spans.count))
    }
  }

  @Test func `a trusted proxy decides for itself which traces are recorded`() {
    let scene = Scene(share: 1)
    scene.run { traces in
      for flags in ["01", "00"] {
        for _ in 0..<1_000 {
          traces.begin("connect", for: Self.request(flags: flags, byProxy: true), dialect: "plain").end()
        }
      }
    }
    #expect(scene.spans.count == 1_000)
  }

  @Test func `ten failures a second are recorded with all that is below them, though their traces are not`() {
    let scene = Scene(share: 0)
    let fail: @Sendable (LoopTraces) -> Void = { traces in
      for _ in 0..<100 {
        let operation = traces.begin("refresh", .server, dialect: "plain")
        operation.beginVerification()
        operation.endVerification(.tokenExpired)
        operation.end(.tokenExpired)
      }
      traces.begin("refresh", .server, dialect: "plain").end()
    }
    scene.run(fail)
    let spans = scene.spans
    #expect(spans.map(\.name) == (0..<10).flatMap { _ in ["verify", "refresh"] })
    #expect(spans.allSatisfy { $0.error == "token_expired" && $0.errorNumber == 401_002 && !$0.isSampled })
    #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.name == "refresh" || $0.parent == $1.span })
    scene.world.advance(by: .seconds(1))
    scene.run(fail)
    #expect(scene.spans.count == 20)
  }

  @Test func `a question that failed has its operation recorded, although that went well`() {
    let scene = Scene(share: 0)
    scene.run { traces in
      let operation = traces.begin("refresh", .server, dialect: "plain")
      TraceScope.$current.withValue(operation.scope) {
        traces.ask("hook refresh", method: "POST", of: "app.example").end(status: 500, error: "500")
      }
      operation.end()
    }
    let spans = scene.spans
    #expect(spans.map(\.name) == ["hook refresh", "refresh"] && spans[0].parent == spans[1].span)
    #expect(spans[1].error == nil && spans[0].kind == .client)
  }

  @Test func `a question outside of operations is a trace of its own`() throws {
    let scene = Scene(share: 1)
    scene.run { traces in
      let span = traces.ask("jwks fetch", method: "GET", of: "login.example")
      span.end(status: 200, error: nil)
    }
    let span = try #require(scene.spans.first)
    #expect((span.parent, span.server, span.status) == (0, "login.example", 200))
  }

  @Test func `a login and its refreshes are linked, and a refused one too`() {
    let scene = Scene(share: 1)
    scene.run { traces in
      let upgrade = traces.begin("connect", for: Self.request(), dialect: "plain")
      traces.hold(upgrade, for: 5)
      let login = traces.operation(of: 5, isRefresh: false, dialect: "plain")
      login.judge(.failure(.tokenExpired))
      traces.note(.loginRefused(.tokenExpired), of: 5, nil)
      let again = traces.operation(of: 5, isRefresh: false, dialect: "plain")
      again.judge(.failure(.tokenExpired))
      traces.note(.loggedIn(.regular, after: .zero), of: 5, UserID("ann"))
      let refresh = traces.operation(of: 5, isRefresh: true, dialect: "plain")
      // The gateway's own renewal in between is no answer to the client's token.
      traces.note(.refreshed(after: nil), of: 5, UserID("ann"))
      refresh.judge(.failure(.tokenExpired))
      traces.note(.refreshed(after: nil), of: 5, UserID("ann"))
      traces.forget(5)
    }
    let spans = scene.spans
    #expect(spans.map(\.name) == ["connect", "connect", "refresh"])
    #expect(spans[1].link == SpanRecord.Link(spans[0].trace, spans[0].span))
    #expect(spans[2].link == SpanRecord.Link(spans[1].trace, spans[1].span) && spans[2].error == nil)
    #expect(spans.allSatisfy { $0.user == nil })
  }

  @Test func `a login that the end of its connection cuts off ends with it`() {
    let scene = Scene(share: 1)
    scene.run { traces in
      traces.hold(traces.begin("connect", for: Self.request(), dialect: "plain"), for: 5)
      traces.note(.ended(.loginTimeout), of: 5, nil)
      traces.hold(traces.begin("connect", for: Self.request(), dialect: "plain"), for: 6)
      traces.note(.ended(.peerClosed), of: 6, nil)
      traces.hold(traces.begin("connect", for: Self.request(), dialect: "plain"), for: 7)
      traces.forget(7)
    }
    #expect(scene.spans.map(\.error) == [CloseReason.loginTimeout.name, nil, CloseReason.connectionLost.name])
  }

  @Test func `users are named only where that is wanted`() {
    for (namesUsers, user) in [(false, nil), (true, "ann")] {
      let scene = Scene(share: 1, namesUsers: namesUsers)
      scene.run { $0.begin("refresh", .server, dialect: nil).end(user: UserID("ann")) }
      #expect(scene.spans.map(\.user) == [user])
    }
  }

  @Test func `a change of the clock moves no span out of its parent`() throws {
    let scene = Scene(share: 1)
    let traces = scene.traces
    _ = scene.world.ask {
      let operation = traces.begin("refresh", .server, dialect: nil)
      operation.beginVerification()
      await traces.loop.sleep(until: traces.loop.now + .seconds(2))
      operation.endVerification(nil)
      await traces.loop.sleep(until: traces.loop.now + .seconds(1))
      operation.end()
    }
    let spans = scene.spans
    #expect(spans[0].end - spans[0].start == .seconds(2) && spans[1].end - spans[1].start == .seconds(3))
    #expect(spans[0].start == spans[1].start)
  }

  @Test func `a ring keeps the oldest 8,192 spans in their order`() {
    var ring = SpanRing()
    let scene = Scene(share: 1)
    scene.run { traces in for _ in 0..<20 { traces.begin("refresh", .server, dialect: nil).end() } }
    let spans = scene.spans
    for number in 0..<9_000 { ring.write(spans[number % 20]) }
    #expect(ring.count == 8_192 && ring.takeDropped() == 808 && ring.takeDropped() == 0)
    #expect(ring.take(5).map(\.span) == spans.prefix(5).map(\.span))
    for number in 0..<5 { ring.write(spans[19 - number]) }
    let rest = ring.take(.max).map(\.span)
    #expect(rest.count == 8_192 && Array(rest.suffix(5)) == spans.reversed().prefix(5).map(\.span) && ring.count == 0)
  }
}
