import GatewayCore
import GatewayFaults
import GatewayProxy
import GatewayRuntime
import GatewaySimulator
import Testing

struct JournalTests {
  @Test
  func `the journal records a connection, its messages and which side ended it`() throws {
    let proxied = ProxyWorld(
      conditions: LinkConditions(latency: .milliseconds(5) ... .milliseconds(5)), isControlled: true)
    let client = proxied.connect()
    let target = try #require(proxied.site.sockets.first)
    client.say("up")
    proxied.world.advance(by: .seconds(1))
    target.act { _ = $0.send(Frame(.binary, [1, 2, 3])) }
    proxied.world.advance(by: .seconds(1))
    target.act { $0.close(CloseReason(code: 4001, name: "token ended")!) }
    proxied.world.advance(by: .seconds(1))
    let upstream = try #require(proxied.lines(.connectionOpened).first)
    guard case .connectionOpened(let delay) = upstream.event else {
      Issue.record("no opening")
      return
    }
    #expect((1..<1000).contains(try #require(delay.milliseconds)))
    #expect(
      proxied.lines.dropFirst() == [
        #"{"kind":"message_in","connection":"conn_0_1","dialect":"blind","message":"text","bytes":2}"#,
        #"{"kind":"message_out","connection":"conn_0_1","dialect":"blind","message":"binary","bytes":3}"#,
        #"{"kind":"cut_off","connection":"conn_0_1","dialect":"blind","code":4001,"reason":"other"}"#,
        #"{"kind":"closed","connection":"conn_0_1","dialect":"blind","code":4001,"reason":"other","by":"gateway"}"#,
      ])
  }

  @Test
  func `the journal tells the client's close from its disappearance and from the gateway's`() throws {
    let proxied = ProxyWorld(isControlled: true)
    let clients = (0..<3).map { _ in proxied.connect() }
    clients[0].close(CloseReason(code: 4010, name: "bye")!)
    clients[1].abort()
    proxied.site.sockets[2].act { $0.abort() }
    proxied.world.advance(by: .seconds(20))
    let ends = proxied.lines.filter { $0.utf8.starts(with: #"{"kind":"closed""#.utf8) }
    #expect(
      Set(ends) == [
        #"{"kind":"closed","connection":"conn_0_1","dialect":"blind","code":4010,"reason":"peer_closed","by":"peer"}"#,
        #"{"kind":"closed","connection":"conn_0_2","dialect":"blind","code":1006,"reason":"connection_lost","by":"transport"}"#,
        #"{"kind":"closed","connection":"conn_0_3","dialect":"blind","code":1006,"reason":"connection_lost","by":"gateway"}"#,
      ])
  }

  @Test
  func `refused upgrades are written with their status, and a missing gateway with its failure`() {
    let site = TargetSite()
    site.admission = { _ in .refuse(HTTPResponse(status: 429)) }
    let proxied = ProxyWorld(site, isControlled: true)
    _ = proxied.connect()
    proxied.network.stopListening(on: ProxyWorld.targetAddress)
    _ = proxied.connect()
    #expect(
      proxied.lines == [
        #"{"kind":"upgrade_refused","dialect":"blind","status":429}"#,
        #"{"kind":"upgrade_refused","dialect":"blind","status":502}"#,
        #"{"kind":"upstream_failed","connection":"conn_0_2","dialect":"blind","failure":"upstream_unreachable","status":502}"#,
      ])
  }

  @Test
  func `requests are written with their route, without ids and without more than 256 routes`() {
    let proxied = ProxyWorld(isControlled: true)
    let paths =
      ["/v1/users/ann/tokens", "/bot123:secret/send", "/", "/a/00000000-0000-0000-0000-000000000000"]
      + (0..<300).map { "/" + String($0, radix: 2).map { $0 == "0" ? "a" : "b" }.joined() }
    for path in paths { proxied.send("GET", path) }
    let routes = proxied.lines(.httpAnswered).compactMap(\.route)
    #expect(routes.prefix(4) == ["GET /v1/users/ann/tokens", "GET /{id}/send", "GET /", "GET /a/{id}"])
    #expect(routes.count == 304 && Set(routes).count == 257 && routes.last == "other")
  }

  @Test
  func `secrets in messages and queries stay out of the journal`() throws {
    let proxied = ProxyWorld(isControlled: true)
    let client = proxied.connect(HTTPRequest(method: "GET", path: "/", query: [HTTPField("token", "s3cr3tq")]))
    for text in [
      #"{"type":"login","token":"s3cr3tf"}"#, #"42["login",{"access_token":"s3cr3tf"}]"#, "s3cr3tf", #"LOGIN {"t":1}"#,
      #"{"hint":"a text of s3cr3tf that nobody reads"}"#,
    ] {
      client.say(text)
    }
    proxied.send("POST", "/token", [HTTPField("authorization", "Bearer s3cr3th")])
    let shown = proxied.onLoop { () -> [String] in
      var query = Journal.Query()
      query.hasPayloads = true
      return proxied.control?.journal.page(query).lines.compactMap(\.payload) ?? []
    }
    #expect(
      shown == [
        #"{"type":"login","token":"(redacted)"}"#, #"42["login",{"access_token":"(redacted)"}]"#,
        #"{"hint":"(redacted)"}"#,
      ])
    #expect(proxied.lines.count == 7)
  }

  @Test
  func `the control port lists sessions, closes them on both sides, and refuses what a proxy cannot do`() async throws {
    let proxied = ProxyWorld(isControlled: true)
    let clients = (0..<3).map { _ in proxied.connect() }
    let list = try await proxied.askText("GET", "/sessions")
    #expect(list.utf8.starts(with: #"200 {"sessions":[{"age_ms":"#.utf8))
    #expect(try await proxied.ask("GET", "/sessions/conn_0_2").status == 200)
    #expect(try await proxied.ask("GET", "/sessions/conn_0_9").status == 404)
    #expect(
      try await proxied.askText("POST", "/sessions/conn_0_2/disconnect", #"{"code": 4011, "reason": "out"}"#)
        == #"200 {"sessions":1}"#)
    #expect(clients[1].ending?.code == 4011 && proxied.site.sockets[1].ending == .some(4011))
    #expect(try await proxied.askText("POST", "/sessions/disconnect") == #"200 {"sessions":2}"#)
    #expect(clients.map { $0.ending?.code } == [4005, 4011, 4005])
    for (path, status) in [
      ("/users/ann/disconnect", 400), ("/sessions/expire", 400), ("/sessions/conn_0_1/refresh", 400),
      ("/revocations", 409),
    ] {
      #expect(try await proxied.ask("POST", path).status == status, "\(path)")
    }
    #expect(try await proxied.ask("GET", "/spaces/t1/journal").status == 404)
    let ordered = proxied.lines(.ordered).map { $0.connection?.description }
    #expect(ordered == ["conn_0_2", "conn_0_1", "conn_0_3"])
    #expect(proxied.route.connectionCount == 0)
  }

  @Test
  func `a web page reaches no control port, by its own name or from another origin`() async throws {
    let proxied = ProxyWorld(isControlled: true)
    let rebound = try await proxied.ask("GET", "/journal", "", [HTTPField("host", "evil.example")])
    let foreign = try await proxied.ask(
      "POST", "/faults", #"{"fault": "reset"}"#, [HTTPField("origin", "https://evil.example")])
    #expect(foreign.status == 403)
    #expect(rebound.status == 403)
    #expect(proxied.onLoop { proxied.control?.faults.standing.isEmpty } == true)
  }

  @Test
  func `a wait for a line ends when the line comes, also from two callers at once`() async throws {
    let proxied = ProxyWorld(isControlled: true)
    let loop = proxied.world.loops[0].eventLoop
    let waits = loop.asCurrent {
      (0..<2).map { _ in
        LoopStage(loop: loop).begin { [route = proxied.route] in
          try? await route.wait(for: Journal.Query(kinds: [.closed]), count: 1, within: .seconds(30)).isMet
        }
      }
    }
    let client = proxied.connect()
    client.close()
    proxied.world.advance(by: .seconds(1))
    #expect(await waits[0].value == true)
    #expect(await waits[1].value == true)
  }

  @Test
  func `a drain closes both sides within its window and admits nobody`() async throws {
    let proxied = ProxyWorld(isControlled: true)
    let clients = (0..<20).map { _ in proxied.connect() }
    let loop = proxied.world.loops[0].eventLoop
    let drain = loop.asCurrent {
      LoopStage(loop: loop).begin { [route = proxied.route] in await route.drain(over: .seconds(10)) }
    }
    proxied.world.advance(by: .seconds(5))
    #expect((1..<20).contains(clients.count { $0.ending != nil }))
    #expect(proxied.connect().refusal == .refused(status: 503))
    proxied.world.advance(by: .seconds(6))
    await drain.value
    #expect(clients.allSatisfy { $0.ending?.code == 1001 } && proxied.route.connectionCount == 0)
    #expect(proxied.lines(.ordered).count == 20)
  }
}

extension ProxyWorld {
  /// Sends a request, and returns its answer; nil if there is none within ten seconds.
  @discardableResult
  func send(
    _ method: String, _ path: String, _ fields: [HTTPField] = [], query: [HTTPField] = [],
    within patience: Duration = .seconds(10)
  ) -> HTTPResponse? {
    let loop = world.loops[2]
    let dialer = SimulatedDialer(network, on: loop)
    let request = HTTPRequest(method: method, path: path, query: query, headers: fields)
    let box = AnswerBox()
    loop.eventLoop.asCurrent {
      _ = LoopStage(loop: loop.eventLoop).begin {
        box.answer = try? await dialer.fetch(request, from: Self.address, timeout: patience).get()
      }
    }
    world.advance(by: patience)
    return box.answer
  }
}

/// `@unchecked Sendable`: touched only by the thread that runs the world.
private final class AnswerBox: @unchecked Sendable {
  var answer: HTTPResponse?
}
