import GatewayCore
import GatewayRuntime
import GatewayServer
import Glibc
import TestTraits
import Testing

/// Serialised because the tests count descriptors, or use most of them.
@Suite(.serialized) struct ListenerTests {
  @Test
  func `a port that is taken is refused with a clear error`() async throws {
    try await TestServer.with { server in
      let taken = server.port
      await #expect(
        throws: ServerError.addressTaken("127.0.0.1:\(taken)")
      ) {
        try await TestServer.with(TestSite(), { $0.port = taken }) { _ in }
      }
    }
  }

  @Test(arguments: ["203.0.113.1", "no-such-host.invalid"])
  func `an address that is not the machine's is refused with a clear error`(host: String) async throws {
    await #expect(throws: ServerError.self) { try await TestServer.with(host: host) { _ in } }
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `an empty host serves IPv4 and IPv6 on the same port`(address: String) async throws {
    let seen = Box("")
    var site = TestSite()
    site.onRespond = { request, _ in
      seen.set(request.peer)
      return HTTPResponse(status: 204)
    }
    try await TestServer.with(site, host: "") { server in
      let client = try RawClient(port: server.port, host: address)
      try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.readAnswer().status == 204)
      #expect(seen.get() == address)
      let socket = try RawClient.open(port: server.port, host: address)
      try socket.sendText("x")
      #expect(try socket.readFrame().text == "x")
    }
  }

  @Test
  func `connections spread evenly over the loops, each served on its own`() async throws {
    let perLoop = Box([Int](repeating: 0, count: 4))
    var site = TestSite()
    site.onAdmit = { _, loop in
      precondition(loop.isCurrent)
      perLoop.update { $0[loop.index] += 1 }
      return .accept(EchoHandler(), subprotocol: nil)
    }
    try await TestServer.with(site, loops: 4) { server in
      let clients = try (0..<200).map { _ in try RawClient.open(port: server.port) }
      #expect(server.listener.connectionsByLoop == [50, 50, 50, 50])
      #expect(perLoop.get() == [50, 50, 50, 50])
      for client in clients {
        try client.sendText("x")
        #expect(try client.readFrame().text == "x")
      }
    }
  }

  @Test
  func `connections without a request yet make room, oldest first, if the port is told so`() async throws {
    var site = TestSite()
    site.onRespond = { _, _ in HTTPResponse(status: 204) }
    let change = { (settings: inout Listener.Settings) in
      settings.limits.connectionsMax = 3
      settings.unreadMakesRoom = true
    }
    try await TestServer.with(site, change) { server in
      var silent: [RawClient] = []
      for number in 0..<9 {
        silent.append(try RawClient(port: server.port))
        if number % 2 == 0 { try silent[number].send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1") }
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(try client.readAnswer().status == 204)
      }
      #expect(server.listener.connections <= 3)
    }
  }

  @Test
  func `above the connection limit there is 503 with Retry-After, over HTTP and for upgrades, until a client leaves`()
    async
  {
    await #expect(processExitsWith: .success) { try await ListenerTests.refuseAboveLimit() }
  }

  private static func refuseAboveLimit() async throws {
    let events = SocketEvents()
    let refusals = TransportRefusals()
    try await TestServer.with(
      .recording(events),
      {
        $0.limits.connectionsMax = 3
        $0.refusals = refusals
      }
    ) { server in
      let clients = try (0..<3).map { _ in try RawClient.open(port: server.port) }
      for text in [RawClient.upgrade(), "GET / HTTP/1.1\r\nHost: x\r\n\r\n"] {
        let refused = try RawClient(port: server.port)
        try refused.send(text)
        let answer = try refused.readAnswer()
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] == "1")
        _ = try refused.readToEnd()
      }
      #expect(Self.counted(refusals) == ["connection_limit": 2])
      for _ in clients { #expect(await events.next() == .opened) }
      try clients[0].sendClose(1000)
      #expect(await events.next() == .closed(1000))
      _ = try clients[0].readToEnd()
      let loop = server.loops[0]
      // The library frees the connection after it has reported its end.
      while await loop.perform({ server.listener.connections }) >= 3 {}
      _ = try RawClient.open(port: server.port)
    }
  }

  @Test
  func `listeners of one server on several addresses have one limit and one rate of connections together`() async {
    // In its own process: the library's table is short, and other tests' descriptors would exceed it.
    await #expect(processExitsWith: .success) { try await ListenerTests.shareAllowance() }
  }

  private static func shareAllowance() async throws {
    let allowance = ConnectionAllowance()
    try await TestServer.with(TestSite(), { Self.limit(&$0, 3, in: allowance) }) { one in
      try await TestServer.with(TestSite(), { Self.limit(&$0, 3, in: allowance) }) { other in
        let clients = try [one, one, other].map { try RawClient.open(port: $0.port) }
        for server in [one, other] { try await Self.expect(503, at: server) }
        try clients[0].sendClose(1000)
        _ = try clients[0].readToEnd()
        // A refused client has seen the end before the server has.
        for server in [one, other] {
          while server.listener.connections >= 2 { await server.loops[0].perform {} }
        }
        try await Self.expect(200, at: other)
      }
    }
    let slow = ConnectionAllowance()
    try await TestServer.with(TestSite(), { Self.limit(&$0, 100, in: slow, perSecond: 0.001) }) { one in
      try await TestServer.with(TestSite(), { Self.limit(&$0, 100, in: slow, perSecond: 0.001) }) { other in
        try await Self.expect(200, at: one)
        try await Self.expect(503, at: other)
      }
    }
  }

  private static func limit(
    _ settings: inout Listener.Settings, _ connectionsMax: Int, in allowance: ConnectionAllowance,
    perSecond: Double? = nil
  ) {
    settings.limits.connectionsMax = connectionsMax
    settings.limits.connectionsPerSecond = perSecond
    settings.allowance = allowance
  }

  private static func expect(_ status: Int, at server: TestServer) async throws {
    let client = try RawClient(port: server.port)
    try client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    let answer = try client.readAnswer()
    #expect(answer.status == status)
    _ = try client.readToEnd()
  }

  @Test
  func `above the connection rate there is 503`() async throws {
    let refusals = TransportRefusals()
    try await TestServer.with(
      TestSite(),
      {
        $0.limits.connectionsPerSecond = 0.001
        $0.refusals = refusals
      }
    ) { server in
      var statuses: [Int] = []
      for _ in 0..<3 {
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        statuses.append(try client.readAnswer().status)
      }
      #expect(statuses == [200, 503, 503])
      #expect(Self.counted(refusals) == ["connection_rate": 2])
    }
  }

  /// Returns the reasons with a count, as in the metrics.
  private static func counted(_ refusals: TransportRefusals) -> [String: Int] {
    var page = PrometheusText()
    refusals.write(to: &page)
    let lines = page.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    let pairs = lines.map { line in (String(line.split(separator: "\"")[1]), Int(line.split(separator: " ")[1])!) }
    return Dictionary(uniqueKeysWithValues: pairs).filter { $0.value > 0 }
  }

  @Test(arguments: [
    ("GET\r\n\r\n", "malformed_request"), ("GET / HTTP/1.1\r\n\r\n", "malformed_request"),
    ("GET / HTTP/3.0\r\n\r\n", "malformed_request"),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n", "malformed_request"),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "malformed_request"),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n", "too_large"),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n", "too_large"),
    ("GET / HTTP/1.1\r\nHost: x\r\nA: \(String(repeating: "a", count: 10_000))\r\n\r\n", "too_large"),
    (RawClient.upgrade(changing: ["Sec-WebSocket-Version": "7"]), "invalid_upgrade"),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe", "body_timeout"),
  ])
  func `a refusal by the transport is counted, under its reason`(text: String, reason: String) async throws {
    let refusals = TransportRefusals()
    try await TestServer.with(
      TestSite(),
      {
        $0.limits.handshakeTimeout = .seconds(1)
        $0.refusals = refusals
      }
    ) { server in
      let client = try RawClient(port: server.port)
      try client.send(text)
      #expect(try client.readAnswer().status >= 400)
      #expect(Self.counted(refusals) == [reason: 1])
      let good = try RawClient(port: server.port)
      try good.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try good.readAnswer().status == 200)
      #expect(Self.counted(refusals) == [reason: 1])
    }
  }

  @Test
  func `a listener that stopped accepting keeps its old connections and takes no new ones`() async throws {
    // On its own address: another test may get the port as soon as it is free.
    let host = "127.0.0.9"
    try await TestServer.with(host: host) { server in
      let client = try RawClient.open(port: server.port, host: host)
      await server.listener.stopAccepting()
      #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port, host: host) }
      try client.sendText("x")
      #expect(try client.readFrame().text == "x")
    }
  }

  @Test(.long)
  func
    `thousands of connects, aborts and half requests leave neither descriptors nor memory behind, and the loops serve on`()
    async
  {
    // In its own process, in which no other test opens descriptors.
    await #expect(processExitsWith: .success) { try await ListenerTests.connectAndAbort() }
  }

  private static func connectAndAbort() async throws {
    try await TestServer.with { _ in }
    let before = openDescriptors()
    try await TestServer.with(TestSite(), loops: 2) { server in
      let running = openDescriptors()
      // The first round fills caches for the next.
      try await abuse(server)
      let used = allocatedBytes()
      for _ in 0..<8 { try await abuse(server) }
      // The runtime opens some descriptors of its own at any time.
      #expect(openDescriptors() - running < 10)
      // 24,000 connections, half of them WebSockets: a leaked object for each would be more, and tables that grew while
      // many waited are less.
      let kept = allocatedBytes() - used
      #expect(kept < 500_000)
      let client = try RawClient.open(port: server.port)
      try client.sendText("x")
      #expect(try client.readFrame().text == "x")
    }
    #expect(openDescriptors() - before < 10)
  }

  private static func abuse(_ server: TestServer) async throws {
    for index in 0..<3000 {
      let client = try RawClient(port: server.port)
      switch index % 6 {
      case 0: break
      case 1: try client.send("GET / HT")
      case 2: try client.send(RawClient.upgrade())
      case 3:
        try client.send(RawClient.upgrade())
        client.reset()
      case 4: try client.send(RawClient.upgrade() + "\u{1}\u{2}\u{3}")
      default: try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
      }
    }
    while server.listener.connections > 0 { for loop in server.loops { await loop.perform {} } }
  }

  @Test
  func `without descriptors left the listener waits without spinning, and accepts again when there are some`() async {
    // In its own process, whose limit it lowers.
    await #expect(processExitsWith: .success) { try await ListenerTests.exhaust() }
  }

  private static func exhaust() async throws {
    try await TestServer.with { server in
      // The loop and Dispatch open some descriptors when they first wait, and trap if they cannot.
      let first = try RawClient(port: server.port)
      try first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try first.readAnswer().status == 200)
      await LoopSleeper(loop: server.loops[0]).sleep(milliseconds: 20)
      let client = try RawClient(port: server.port)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = rlim_t(openDescriptors() + 64)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var hoard: [CInt] = []
      while case let descriptor = dup(client.descriptor), descriptor >= 0 { hoard.append(descriptor) }
      // One descriptor for our side; the server has none for its own.
      close(hoard.removeLast())
      let waiting = try RawClient(port: server.port)
      let loop = server.loops[0]
      let before = processorTime()
      for _ in 0..<10 { await loop.perform {} }
      await LoopSleeper(loop: loop).sleep(milliseconds: 300)
      #expect(processorTime() - before < 0.2)
      hoard.forEach { close($0) }
      try waiting.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try waiting.readAnswer().status == 200)
    }
  }
}
