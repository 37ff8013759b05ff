import GatewayCore
import GatewayRuntime
import GatewayServer
import Glibc
import TestTraits
import Testing

struct StreamingTests {
  static func get(_ path: String = "/feed", _ fields: String = "", method: String = "GET", version: String = "1.1")
    -> String
  {
    "\(method) \(path) HTTP/\(version)\r\nHost: x\r\n\(fields)\r\n"
  }

  private static let head =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\ntransfer-encoding: chunked\r\n\r\n"

  /// Returns the received text without its `Date`.
  private static func undated(_ text: String) -> String { text.replacing(#/date: [^\r]*\r\n/#, with: "") }

  /// Runs `body` with a server, plain and over TLS.
  static func with(
    _ site: TestSite, overTLS: Bool, _ change: (inout Listener.Settings) -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let certificate = overTLS ? try TestCertificate() : nil
    try await TestServer.with(
      site,
      { settings in
        settings.tls = certificate?.files
        change(&settings)
      }, body)
  }

  @Test(arguments: [false, true])
  func `a stream begins with its head, then each piece is a chunk, and another request may follow`(overTLS: Bool)
    async throws
  {
    let feed = TestFeed()
    try await Self.with(feed.site, overTLS: overTLS) { server in
      let client = try server.client()
      try client.send(Self.get())
      #expect(Self.undated(try client.read(through: "\r\n\r\n")) == Self.head)
      for text in ["hello", "0123456789abcdef", "x"] {
        feed.give(text)
        #expect(try client.read(through: "\(text)\r\n") == String(text.utf8.count, radix: 16) + "\r\n\(text)\r\n")
      }
      feed.give("")
      feed.give("y")
      #expect(try client.read(through: "y\r\n") == "1\r\ny\r\n", "an empty chunk would be the last")
      feed.end()
      #expect(try client.read(through: "\r\n\r\n") == "0\r\n\r\n")
      feed.released.wait(until: { $0 == 1 })
      try client.send(Self.get("/x", "Connection: close\r\n"))
      #expect(try client.rest().hasSuffix("\r\n\r\nGET /x"))
    }
  }

  @Test(arguments: ["", "Connection: keep-alive\r\n"])
  func `a stream in HTTP 1.0 ends with the connection, and is not chunked`(fields: String) async throws {
    let feed = TestFeed()
    try await Self.with(feed.site, overTLS: false) { server in
      let client = try server.client()
      try client.send(Self.get("/feed", fields, version: "1.0"))
      let head = try client.read(through: "\r\n\r\n")
      #expect(head.contains("connection: close\r\n") && !head.contains("transfer-encoding"))
      feed.give("hello ")
      #expect(try client.read(through: "hello ") == "hello ")
      feed.give("you")
      feed.end()
      #expect(try client.rest() == "you")
    }
  }

  @Test
  func `a stream's answer to a HEAD is a head, and its source is not asked for the rest`() async throws {
    let feed = TestFeed()
    try await Self.with(feed.site, overTLS: false) { server in
      let client = try server.client()
      try client.send(Self.get(method: "HEAD") + Self.get("/x", "Connection: close\r\n"))
      #expect(Self.undated(try client.read(through: "\r\n\r\n")) == Self.head)
      #expect(try client.rest().hasSuffix("\r\n\r\nGET /x"))
      feed.released.wait(until: { $0 == 1 })
      #expect(feed.asked.get() == 0)
    }
  }

  @Test(arguments: [false, true], [false, true])
  func `the next request waits for a stream's end, whether it arrived with the stream's request or later`(
    isLater: Bool, overTLS: Bool
  )
    async throws
  {
    let feed = TestFeed(endsByItself: true)
    try await Self.with(feed.site, overTLS: overTLS) { server in
      let client = try server.client()
      let next = Self.get("/a") + Self.get("/b")
      try client.send(Self.get() + (isLater ? "" : next))
      _ = try client.read(through: "\r\n\r\n")
      if isLater { try client.send(next) }
      feed.give("hello")
      #expect(try client.read(through: "hello\r\n") == "5\r\nhello\r\n")
      feed.end()
      #expect(try client.read(through: "0\r\n\r\nHTTP/1.1 200 OK\r\n") == "0\r\n\r\nHTTP/1.1 200 OK\r\n")
      #expect(try client.read(through: "GET /a").contains("content-length: 6\r\n"))
      #expect(try client.read(through: "GET /b").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test(arguments: [false, true])
  func `a stream's source is asked for no more than a slow reader takes, and everything arrives`(overTLS: Bool)
    async throws
  {
    let feed = TestFeed(endsByItself: true)
    let (piece, times) = ([UInt8](repeating: 0x78, count: 10_000), 2_000)
    let site = feed.site { feed.flood(piece, times: times) }
    // On a busy machine other tests delay this one for longer than a server waits.
    try await Self.with(site, overTLS: overTLS, { $0.limits.readerPatience = .seconds(600) }) { server in
      let client = try server.client()
      try client.send(Self.get() + Self.get("/x", "Connection: close\r\n"))
      _ = try client.read(through: "\r\n\r\n")
      let sleeper = LoopSleeper(loop: server.loops[0])
      var (asked, before) = (0, -1)
      while asked != before {
        await sleeper.sleep(milliseconds: 100)
        (asked, before) = (feed.asked.get(), asked)
      }
      // The system buffers up to 4 MB for the sender and 6 MB for the reader.
      #expect(asked < 1_200, "\(asked) pieces")
      let rest = Array(try client.rest().utf8)
      let chunk = Array("2710\r\n".utf8) + piece + Array("\r\n".utf8)
      try #require(rest.count > times * chunk.count)
      let isWhole = rest.withUnsafeBytes { bytes in
        (0..<times).allSatisfy { memcmp(bytes.baseAddress! + $0 * chunk.count, chunk, chunk.count) == 0 }
      }
      #expect(isWhole)
      let last = String(decoding: rest.dropFirst(times * chunk.count), as: UTF8.self)
      #expect(last.hasPrefix("0\r\n\r\nHTTP/1.1 200 OK\r\n") && last.hasSuffix("GET /x"))
    }
  }

  @Test(.long, arguments: [false, true])
  func `a stream may end at once, or consist of one large piece`(overTLS: Bool) async throws {
    let (none, large) = (TestFeed(), TestFeed())
    let piece = [UInt8](repeating: 0x78, count: 10 << 20)
    var site = none.site { none.flood([], times: 0) }
    let usual = site.onRespond
    site.onRespond = { request, loop in
      request.path == "/large" ? large.flood(piece, times: 1) : await usual(request, loop)
    }
    try await Self.with(site, overTLS: overTLS) { server in
      let client = try server.client()
      try client.send(Self.get() + Self.get() + Self.get("/large") + Self.get("/x", "Connection: close\r\n"))
      for _ in 0..<2 { #expect(Self.undated(try client.read(through: "\r\n\r\n0\r\n\r\n")) == Self.head + "0\r\n\r\n") }
      #expect(Self.undated(try client.read(through: "a00000\r\n")) == Self.head + "a00000\r\n")
      let rest = Array(try client.rest().utf8)
      let isWhole = rest.starts(with: piece + Array("\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n".utf8))
      #expect(isWhole)
    }
  }
}
