import GatewayCore
import GatewayRuntime
import GatewayServer
import TestTraits
import Testing

struct DialingTests {
  private func dial(
    _ loop: SocketLoop, _ target: DialTarget, _ upgrade: HTTPRequest = HTTPRequest(method: "GET", path: "/"),
    subprotocols: [String] = [], handler: RecordingHandler
  ) async {
    await loop.perform {
      SocketDialer(on: loop).dial(target, upgrade: upgrade, subprotocols: subprotocols, handler: handler)
    }
  }

  @Test
  func `a dialled socket carries fields, query, subprotocols and its source address, and echoes`() async throws {
    let seen = Box<HTTPRequest?>(nil)
    var site = TestSite()
    site.onAdmit = { request, _ in
      seen.set(request)
      return .accept(EchoHandler(), subprotocol: "b")
    }
    try await TestServer.with(site, loops: 2) { server in
      let events = SocketEvents()
      var upgrade = HTTPRequest(method: "GET", path: "/connect")
      upgrade.query = [HTTPField("access_token", "a+b/c=&d")]
      upgrade.headers = [HTTPField("authorization", "Bearer t"), HTTPField("user-agent", "storm")]
      let target = DialTarget(host: "127.0.0.1", port: server.port, source: "127.0.0.7")
      await dial(
        server.loops[1], target, upgrade, subprotocols: ["a", "b"],
        handler: RecordingHandler(
          events,
          onOpen: { socket in
            _ = socket.send(Frame(text: "hello"))
            _ = socket.send(Frame(.binary, Array(repeating: 9, count: 50_000)))
          }))
      #expect(await events.next() == .opened)
      #expect(await events.next() == .received(Frame(text: "hello")))
      #expect(await events.next() == .received(Frame(.binary, Array(repeating: 9, count: 50_000))))
      let request = try #require(seen.get())
      #expect(request.path == "/connect")
      #expect(request.parameter("access_token") == "a+b/c=&d")
      #expect(request.bearerToken == "t")
      #expect(request.header("user-agent") == "storm")
      #expect(request.header("sec-websocket-protocol") == "a, b")
      #expect(request.peer == "127.0.0.7")
    }
  }

  @Test
  func `a dialled socket offers subprotocols of any length and character, and accepts the one that the site chose`()
    async throws
  {
    let name = "%7B%22token%22%3A%22" + String(repeating: "a1B2", count: 90) + "%22%7D"
    let offered = Box<String?>(nil)
    var site = TestSite()
    site.onAdmit = { request, _ in
      offered.set(request.header("sec-websocket-protocol"))
      return .accept(EchoHandler(), subprotocol: name)
    }
    try await TestServer.with(site) { server in
      let events = SocketEvents()
      await dial(
        server.loops[0], DialTarget(host: "127.0.0.1", port: server.port), subprotocols: ["a", name],
        handler: RecordingHandler(events, onOpen: { _ = $0.send(Frame(text: "x")) }))
      #expect(await events.next() == .opened)
      #expect(await events.next() == .received(Frame(text: "x")))
      #expect(offered.get() == "a, \(name)")
    }
  }

  @Test
  func `the server's close reaches the dialler with its code`() async throws {
    try await TestServer.with(.recording(SocketEvents(), onMessage: { socket, _ in socket.close(.refreshTimeout) })) {
      server in
      let events = SocketEvents()
      await dial(
        server.loops[0], DialTarget(host: "127.0.0.1", port: server.port),
        handler: RecordingHandler(events, onOpen: { _ = $0.send(Frame(text: "x")) }))
      #expect(await events.next() == .opened)
      #expect(await events.next() == .closed(4000))
    }
  }

  @Test
  func `the dialler's close reaches the server with its code and is answered`() async throws {
    let serverEvents = SocketEvents()
    try await TestServer.with(.recording(serverEvents)) { server in
      let events = SocketEvents()
      await dial(
        server.loops[0], DialTarget(host: "127.0.0.1", port: server.port),
        handler: RecordingHandler(events, onOpen: { $0.close(.normal) }))
      #expect(await events.next() == .opened)
      #expect(await events.next() == .closed(1000))
      #expect(await serverEvents.next() == .opened)
      #expect(await serverEvents.next() == .closed(1000))
    }
  }

  @Test(arguments: [401, 403, 404, 503])
  func `a dial that the site refuses reports the status`(status: Int) async throws {
    var site = TestSite()
    site.onAdmit = { _, _ in .refuse(HTTPResponse(status: status, contentType: "text/plain", text: "no")) }
    try await TestServer.with(site) { server in
      let events = SocketEvents()
      await dial(server.loops[0], DialTarget(host: "127.0.0.1", port: server.port), handler: RecordingHandler(events))
      #expect(await events.next() == .refused(.refused(status: status)))
    }
  }

  @Test
  func `a dial to a port without a listener is unreachable, and the handler is told after the call`() async throws {
    let port = try await TestServer.with { $0.port }
    try await TestServer.with { server in
      let events = SocketEvents()
      let loop = server.loops[0]
      await loop.perform {
        SocketDialer(on: loop).dial(
          DialTarget(host: "127.0.0.1", port: port), upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [],
          handler: RecordingHandler(events))
        events.add(.pong)
      }
      #expect(await events.next() == .pong)
      guard case .refused(.unreachable) = await events.next() else {
        Issue.record("not unreachable")
        return
      }
    }
  }

  @Test
  func `a dial that is never answered times out`() async throws {
    try await TestServer.with(TestSite(), { $0.limits.handshakeTimeout = .seconds(1) }) { server in
      let silent = try SilentServer()
      let events = SocketEvents()
      await dial(server.loops[0], DialTarget(host: "127.0.0.1", port: silent.port), handler: RecordingHandler(events))
      #expect(await events.next() == .refused(.timedOut))
      let fetcher = Fetcher(loop: server.loops[0])
      let answer = await fetcher.fetch(
        HTTPRequest(method: "GET", path: "/"), from: DialTarget(host: "127.0.0.1", port: silent.port),
        timeout: .milliseconds(50))
      #expect(answer == .failure(.timedOut))
    }
  }

  @Test
  func `a fetch posts a body and brings back status, fields and body, localhost is found on either family`()
    async throws
  {
    var site = TestSite()
    site.onRespond = { request, _ in
      HTTPResponse(status: 201, headers: [HTTPField("x-method", request.method)], body: request.body.reversed())
    }
    try await TestServer.with(site) { server in
      let fetcher = Fetcher(loop: server.loops[0])
      for host in ["127.0.0.1", "localhost"] {
        let answer = try await fetcher.fetch(
          HTTPRequest(method: "POST", path: "/a%20b", body: [1, 2, 3]), from: DialTarget(host: host, port: server.port)
        ).get()
        #expect(answer.status == 201)
        #expect(answer.header("x-method") == "POST")
        #expect(answer.body == [3, 2, 1])
      }
      let dead = await fetcher.fetch(
        HTTPRequest(method: "GET", path: "/"), from: DialTarget(host: "does-not-exist.invalid", port: 1))
      guard case .failure(.unreachable) = dead else {
        Issue.record("\(dead)")
        return
      }
    }
  }

  @Test(.long)
  func `two thousand fetches and two thousand sockets at once all succeed`() async throws {
    let count = 2000
    try await TestServer.with(TestSite(), loops: 2) { server in
      let fetcher = Fetcher(loop: server.loops[1])
      let target = DialTarget(host: "127.0.0.1", port: server.port)
      let statuses = await withTaskGroup(of: Int.self) { group in
        for index in 0..<count {
          group.addTask {
            let answer = await fetcher.fetch(HTTPRequest(method: "GET", path: "/\(index)"), from: target)
            return (try? answer.get().status) ?? 0
          }
        }
        return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [200: count])
      let events = SocketEvents()
      let loop = server.loops[1]
      await loop.perform {
        let dialer = SocketDialer(on: loop)
        for _ in 0..<count {
          dialer.dial(
            target, upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [],
            handler: RecordingHandler(
              events, onOpen: { _ = $0.send(Frame(text: "x")) }, onMessage: { socket, _ in socket.close(.normal) }))
        }
      }
      var closed = 0
      while closed < count {
        switch await events.next() {
        case .closed(1000): closed += 1
        case .opened, .received: continue
        case let other:
          Issue.record("\(String(describing: other))")
          return
        }
      }
      // Evenly over both loops, except for connections that ended while others came.
      #expect(server.listener.connectionsByLoop.count == 2)
    }
  }

  @Test(.long, arguments: 0..<10)
  func `loops that stop amid dials and fetches tell every handler, and end`(turns: Int) async throws {
    let count = 300
    let events = SocketEvents()
    let answered = Box(0)
    try await TestServer.with(TestSite(), loops: 2) { server in
      let loop = server.loops[1]
      let target = DialTarget(host: "127.0.0.1", port: server.port)
      await loop.perform {
        let dialer = SocketDialer(on: loop)
        for _ in 0..<count {
          dialer.dial(
            target, upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [],
            handler: RecordingHandler(events, onOpen: { _ = $0.send(Frame(text: "x")) }))
        }
      }
      await Fetcher(loop: loop).start(count, from: target) { answered.update { $0 += 1 } }
      // A little further each time.
      for _ in 0..<turns * 10 { await loop.perform {} }
    }
    #expect(answered.get() == count)
    var ends = 0
    while ends < count {
      switch await events.next() {
      case .refused, .closed: ends += 1
      default: continue
      }
    }
  }
}
