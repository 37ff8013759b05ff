import GatewayCore
import GatewayRuntime
import GatewayServer
import TestTraits
import Testing

struct StreamingEndTests {
  enum Departure: CaseIterable {
    case closes, resets, endsSending, closesWithRequestsBehind, closesWithManyBehind
  }

  @Test(arguments: Departure.allCases, [false, true])
  func `a stream ends when its reader has gone, though nothing is written`(departure: Departure, overTLS: Bool)
    async throws
  {
    let feed = TestFeed()
    try await StreamingTests.with(feed.site, overTLS: overTLS) { server in
      var client: (any ByteClient)? = try server.client()
      try client?.send(StreamingTests.get())
      _ = try client?.read(through: "\r\n\r\n")
      #expect(server.listener.connections == 1 && feed.released.get() == 0)
      switch departure {
      case .closes: client = nil
      case .resets: client?.reset()
      case .endsSending:
        client?.endSending()
        #expect(try client?.rest() == "0\r\n\r\n")
      case .closesWithRequestsBehind:
        for _ in 0..<20 { try client?.send(StreamingTests.get("/x")) }
        client = nil
      case .closesWithManyBehind:
        try client?.send(String(repeating: StreamingTests.get("/x"), count: 1_000))
        client = nil
      }
      feed.released.wait(until: { $0 == 1 })
      #expect(feed.cancelled.get() == feed.asked.get(), "who waits in the source is woken")
      while server.listener.connections > 0 { await server.loops[0].perform {} }
    }
  }

  @Test(arguments: [false, true])
  func `an export ends with its last piece, even if the reader has ended its side`(overTLS: Bool) async throws {
    let feed = TestFeed(endsByItself: true)
    try await StreamingTests.with(feed.site, overTLS: overTLS) { server in
      let client = try server.client()
      try client.send(StreamingTests.get())
      client.endSending()
      _ = try client.read(through: "\r\n\r\n")
      for _ in 0..<3 {
        feed.give("hello")
        #expect(try client.read(through: "hello\r\n") == "5\r\nhello\r\n")
      }
      feed.end()
      #expect(try client.rest() == "0\r\n\r\n")
    }
  }

  @Test(arguments: [false, true])
  func `a stream ends when its reader takes nothing for long, and not when there is nothing to take`(overTLS: Bool)
    async throws
  {
    let (silent, flood) = (TestFeed(), TestFeed())
    var site = silent.site
    let usual = site.onRespond
    site.onRespond = { request, loop in
      request.path == "/flood" ? flood.flood(Array(repeating: 0x78, count: 60_000)) : await usual(request, loop)
    }
    try await StreamingTests.with(
      site, overTLS: overTLS,
      { settings in
        settings.limits.readerPatience = .milliseconds(500)
        settings.limits.idleTime = .milliseconds(100)
      }
    ) { server in
      let (listener, sleeper) = (try server.client(), try server.client())
      try listener.send(StreamingTests.get())
      _ = try listener.read(through: "\r\n\r\n")
      try sleeper.send(StreamingTests.get("/flood"))
      flood.released.wait(until: { $0 == 1 })
      await LoopSleeper(loop: server.loops[0]).sleep(milliseconds: 600)
      silent.give("hello")
      #expect(try listener.read(through: "hello\r\n") == "5\r\nhello\r\n")
      #expect(silent.cancelled.get() == 0)
      #expect(try !sleeper.rest().hasSuffix("\r\n0\r\n\r\n"), "an end in good order would be a lie")
    }
  }

  @Test(arguments: [false, true])
  func `a stream ends in good order with the server, and no feed is waited for`(overTLS: Bool) async throws {
    let (feed, export) = (TestFeed(), TestFeed(endsByItself: true))
    var site = feed.site
    let usual = site.onRespond
    site.onRespond = { request, loop in
      request.path == "/export" ? export.response : await usual(request, loop)
    }
    try await StreamingTests.with(site, overTLS: overTLS, FinishingTests.bePatient) { server in
      let (reader, exporter, late) = (try server.client(), try server.client(), try server.client())
      try reader.send(StreamingTests.get())
      _ = try reader.read(through: "\r\n\r\n")
      #expect(await server.listener.finishRequests(within: .seconds(60)) == 0)
      #expect(try reader.rest() == "0\r\n\r\n")
      #expect(feed.cancelled.get() == 1 && feed.released.get() == 1)
      try late.send(StreamingTests.get())
      #expect(try late.rest().hasSuffix("connection: close\r\n\r\n0\r\n\r\n"))
      try exporter.send(StreamingTests.get("/export"))
      _ = try exporter.read(through: "\r\n\r\n")
      #expect(await server.listener.finishRequests(within: .milliseconds(30)) == 1, "an export is waited for")
      async let finished = server.listener.finishRequests(within: .seconds(60))
      export.give("hello")
      export.end()
      #expect(await finished == 0)
      #expect(try exporter.rest() == "5\r\nhello\r\n0\r\n\r\n")
    }
  }

  @Test(arguments: [false, true])
  func `a stream ends with its loop, whatever its source waits for`(overTLS: Bool) async throws {
    let certificate = overTLS ? try TestCertificate() : nil
    let (feed, asleep, flood) = (TestFeed(), Box(0), TestFeed())
    var site = feed.site
    let usual = site.onRespond
    site.onRespond = { request, loop in
      switch request.path {
      case "/flood": return flood.flood(Array(repeating: 0x78, count: 60_000))
      case "/asleep":
        let held = Sentinel { asleep.set(1) }
        return HTTPResponse(
          stream: HTTPStream {
            await loop.sleep(until: loop.now + .seconds(3_600))
            return withExtendedLifetime(held) { [] }
          })
      default: return await usual(request, loop)
      }
    }
    var settings = Listener.Settings(host: "127.0.0.1", port: 0)
    settings.tls = certificate?.files
    let loop = SocketLoop(index: 0)
    try loop.start()
    let listener = try await Listener.start(settings, serving: site, on: [loop])
    let server = TestServer(loops: [loop], listener: listener)
    let clients = try ["/feed", "/flood", "/asleep"].map { path in
      let client = try server.client()
      try client.send(StreamingTests.get(path))
      _ = try client.read(through: "\r\n\r\n")
      return client
    }
    loop.stop()
    #expect(feed.released.get() == 1 && feed.cancelled.get() == 1)
    #expect(flood.released.get() == 1 && asleep.get() == 1)
    for client in clients { _ = try client.rest() }
  }

  @Test(.long, arguments: [false, true])
  func `a stream that ends 500 times in a row by a reset leaves nothing behind`(overTLS: Bool) async throws {
    let feed = TestFeed()
    let flood = feed.site {
      // Half of them wait for nothing, half for room.
      feed.asked.get().isMultiple(of: 2) ? feed.flood(Array(repeating: 0x78, count: 60_000)) : feed.response
    }
    try await StreamingTests.with(flood, overTLS: overTLS) { server in
      for round in 0..<500 {
        let client = try server.client()
        try client.send(StreamingTests.get())
        if round % 3 > 0 { _ = try client.read(through: "\r\n\r\n") }
        client.reset()
      }
      feed.released.wait(until: { $0 == 500 })
      while server.listener.connections > 0 { await server.loops[0].perform {} }
    }
  }

  @Test
  func `a stream whose source ignores its cancellation ends with the connection`() async throws {
    let (asked, go) = (Box(false), Box<CheckedContinuation<Void, Never>?>(nil))
    let site = TestFeed().site {
      HTTPResponse(
        stream: HTTPStream {
          await withCheckedContinuation { continuation in
            go.set(continuation)
            asked.set(true)
          }
          return Array("too late".utf8)
        })
    }
    try await StreamingTests.with(site, overTLS: false) { server in
      var client: (any ByteClient)? = try server.client()
      try client?.send(StreamingTests.get())
      asked.wait(until: { $0 })
      client = nil
      while server.listener.connections > 0 { await server.loops[0].perform {} }
      go.get()?.resume()
      await server.loops[0].perform {}
      let next = try server.client()
      try next.send(StreamingTests.get("/x"))
      #expect(try next.read(through: "GET /x").hasPrefix("HTTP/1.1 200"))
    }
  }
}

/// An object that reports when it is released.
private final class Sentinel: Sendable {
  private let goes: @Sendable () -> Void

  init(_ goes: @escaping @Sendable () -> Void) { self.goes = goes }

  deinit { goes() }
}
