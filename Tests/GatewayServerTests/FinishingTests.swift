import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

struct FinishingTests {
  /// Returns a site whose answers wait for the test, a stream of its requests, and a function that lets it answer.
  private static func site(bytes: Int = 3) -> (TestSite, arrivals: AsyncStream<Void>, release: @Sendable () -> Void) {
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let (releases, release) = AsyncStream<Void>.makeStream()
    var site = TestSite()
    site.onRespond = { _, _ in
      arrived.yield()
      for await _ in releases { break }
      return HTTPResponse(status: 200, body: Array(repeating: 7, count: bytes))
    }
    return (site, arrivals, { release.yield() })
  }

  /// Sets long timeouts: other tests may delay these for longer than a server waits.
  static func bePatient(_ settings: inout Listener.Settings) {
    settings.limits.handshakeTimeout = .seconds(600)
    settings.limits.idleTime = .seconds(600)
    settings.limits.readerPatience = .seconds(600)
  }

  @Test
  func `requests under way get their answers, and their waiters go on then`() async throws {
    let (site, arrivals, release) = Self.site()
    try await TestServer.with(site, loops: 2, Self.bePatient) { server in
      let client = try RawClient(port: server.port)
      try client.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na")
      for await _ in arrivals { break }
      await server.listener.stopAccepting()
      #expect(await server.listener.finishRequests(within: .milliseconds(30)) == 1, "the wait has its bound")
      async let finished = server.listener.finishRequests(within: .seconds(120))
      release()
      #expect(await finished == 0)
      #expect(try client.readAnswer().body.utf8.count == 3)
    }
  }

  @Test(arguments: [true, false])
  func `a request is under way until a slow reader has all of its answer, or has gone`(reads: Bool) async throws {
    let size = 30 << 20
    let (site, arrivals, release) = Self.site(bytes: size)
    try await TestServer.with(site, Self.bePatient) { server in
      var client: RawClient? = try RawClient(port: server.port)
      try client?.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
      for await _ in arrivals { break }
      release()
      #expect(try client?.readHead().hasPrefix("HTTP/1.1 200") == true)
      #expect(await server.listener.finishRequests(within: .milliseconds(50)) == 1)
      async let finished = server.listener.finishRequests(within: .seconds(120))
      if reads {
        #expect(try client?.readToEnd().count == size)
      } else {
        client = nil
      }
      #expect(await finished == 0)
    }
  }

  @Test
  func `a request counts while its body arrives, and not while there is only a part of a head`() async throws {
    try await TestServer.with(TestSite(), Self.bePatient) { server in
      let silent = try RawClient(port: server.port)
      try silent.send("GET / HTT")
      #expect(await server.listener.finishRequests(within: .milliseconds(50)) == 0)
      let client = try RawClient(port: server.port)
      try client.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na")
      #expect(await server.listener.finishRequests(within: .milliseconds(50)) == 1)
      async let finished = server.listener.finishRequests(within: .seconds(120))
      try client.send("b")
      #expect(await finished == 0)
      #expect(try client.readAnswer().status == 200)
    }
  }

  @Test
  func `a connection that only the system has accepted gets its answer`() async throws {
    try await TestServer.with(TestSite(), Self.bePatient) { server in
      let (connections, connected) = AsyncStream<RawClient?>.makeStream()
      let isStopping = Box(false)
      // The loop is busy until the order to stop waits behind it.
      server.loops[0].events.execute {
        connected.yield(try? RawClient(port: server.port))
        isStopping.wait { $0 }
      }
      var next = connections.makeAsyncIterator()
      let client = try #require(await next.next() ?? nil)
      async let stopped: Void = server.listener.stopAccepting()
      for _ in 0..<100 { await Task.yield() }
      isStopping.set(true)
      await stopped
      try client.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.readAnswer().status == 200)
    }
  }

  @Test
  func `a client that connects just before the end has time to send its request`() async throws {
    try await TestServer.with(
      TestSite(), loops: 2,
      { settings in
        Self.bePatient(&settings)
        settings.firstRequestTime = .seconds(600)
      }
    ) { server in
      let client = try RawClient(port: server.port)
      while server.listener.connections == 0 { await Task.yield() }
      await server.listener.stopAccepting()
      async let finished = server.listener.finishRequests(within: .seconds(120))
      #expect(await server.listener.finishRequests(within: .milliseconds(60)) == 0)
      try client.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.readAnswer().headers["connection"] == "close")
      #expect(await finished == 0)
    }
  }

  @Test
  func `answers during the end close their connections, and idle connections close at once`() async throws {
    let (site, arrivals, release) = Self.site()
    try await TestServer.with(site, Self.bePatient) { server in
      let idle = try RawClient(port: server.port)
      let text = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"
      try idle.send(text)
      for await _ in arrivals { break }
      release()
      #expect(try idle.readAnswer().headers["connection"] == nil)
      let busy = try RawClient(port: server.port)
      try busy.send(text)
      for await _ in arrivals { break }
      await server.listener.stopAccepting()
      async let finished = server.listener.finishRequests(within: .seconds(120))
      #expect(try idle.readToEnd().isEmpty)
      release()
      #expect(await finished == 0)
      #expect(try busy.readAnswer().headers["connection"] == "close")
      #expect(try busy.readToEnd().isEmpty)
    }
  }

  @Test
  func `answers on a kept connection have been sent before the end`() async throws {
    try await TestServer.with(TestSite(), Self.bePatient) { server in
      let client = try RawClient(port: server.port)
      let text = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"
      try client.send(text)
      #expect(try client.readAnswer().status == 200)
      try client.send(text)
      #expect(await server.listener.finishRequests(within: .seconds(120)) == 0)
      #expect(try client.readAnswer().status == 200)
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test
  func `a TLS connection that has sent only a part of a head has no request under way`() async throws {
    let certificate = try TestCertificate()
    try await TestServer.with(
      TestSite(),
      { settings in
        Self.bePatient(&settings)
        settings.tls = certificate.files
      }
    ) { server in
      let client = try SecureClient(port: server.port)
      // In one record: when the answer has arrived, so has the part.
      try client.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\nGET /y HTT")
      _ = try client.read(through: "GET /x")
      #expect(await server.listener.finishRequests(within: .seconds(120)) == 0)
      try client.send("P/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.read(through: "GET /y").contains("connection: close\r\n"))
      #expect(client.readToEnd().isEmpty)
    }
  }
}
