import GatewayCore
import GatewayRuntime
import GatewayServer
import Synchronization
import Testing

struct PendingUpgradeTests {
  /// A site whose upgrades wait until a test answers them.
  private final class Waiting: Sendable {
    let upgrades = AsyncStream<PendingUpgrade>.makeStream()
    let left = AsyncStream<Void>.makeStream()

    var site: TestSite {
      var site = TestSite()
      site.onAdmit = { [self] _, _ in
        let upgrade = PendingUpgrade { [self] in left.continuation.yield() }
        upgrades.continuation.yield(upgrade)
        return .later(upgrade)
      }
      return site
    }

    func next() async -> PendingUpgrade? { await upgrades.stream.first { _ in true } }
  }

  private static let opening =
    "GET /x?a=%2B+b HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: one, two\r\n\r\n"

  @Test
  func `an upgrade that is accepted later has its subprotocol and fields in the 101, and earlier frames are read`()
    async throws
  {
    let waiting = Waiting()
    try await TestServer.with(waiting.site) { server in
      let client = try RawClient(port: server.port)
      // The text "hi", masked with zeros, right behind the request.
      try client.send(Array(Self.opening.utf8) + [0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69])
      let upgrade = try #require(await waiting.next())
      let events = SocketEvents()
      let fields = [HTTPField("set-cookie", "a=1"), HTTPField("set-cookie", "b=2"), HTTPField("connection", "x")]
      let isGiven = await server.loops[0].perform {
        upgrade.give(.accept(RecordingHandler(events), subprotocol: "two", fields: fields))
      }
      #expect(isGiven)
      let head = try client.read(through: "\r\n\r\n").lowercased()
      #expect(head.hasPrefix("http/1.1 101"))
      #expect(head.contains("\r\nsec-websocket-protocol: two\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n"))
      #expect(head.components(of: "\r\nconnection:") == 1)
      #expect(await events.next() == .opened)
      #expect(await events.next() == .received(Frame(text: "hi")))
    }
  }

  @Test
  func `an upgrade that is refused later has the whole answer`() async throws {
    let waiting = Waiting()
    try await TestServer.with(waiting.site) { server in
      let client = try RawClient(port: server.port)
      try client.send(Self.opening)
      let upgrade = try #require(await waiting.next())
      await server.loops[0].perform {
        var response = HTTPResponse(status: 429, contentType: "text/plain", text: "later")
        response.headers.append(HTTPField("retry-after", "7"))
        upgrade.give(.refuse(response))
        #expect(!upgrade.give(.refuse(response)), "an upgrade has one answer")
      }
      let answer = try client.readToEnd()
      let text = String(decoding: answer, as: UTF8.self)
      #expect(text.hasPrefix("HTTP/1.1 429") && text.contains("retry-after: 7\r\n") && text.hasSuffix("\r\n\r\nlater"))
    }
  }

  @Test
  func `the end of a client that leaves before the answer is reported, and the answer is dropped`() async throws {
    let waiting = Waiting()
    try await TestServer.with(waiting.site) { server in
      var client: RawClient? = try RawClient(port: server.port)
      try client?.send(Self.opening)
      let upgrade = try #require(await waiting.next())
      client = nil
      _ = await waiting.left.stream.first { true }
      await server.loops[0].perform { #expect(!upgrade.give(.refuse(HTTPResponse(status: 503)))) }
    }
  }

  @Test
  func `a client is refused if its fields do not fit into a 101`() async throws {
    let waiting = Waiting()
    try await TestServer.with(waiting.site) { server in
      let client = try RawClient(port: server.port)
      try client.send(Self.opening)
      let upgrade = try #require(await waiting.next())
      let events = SocketEvents()
      await server.loops[0].perform {
        let long = HTTPField("set-cookie", String(repeating: "x", count: 4000))
        upgrade.give(.accept(RecordingHandler(events), subprotocol: nil, fields: [long]))
      }
      #expect(String(decoding: try client.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 502"))
      #expect(await events.next() == .refused(.unreachable("the fields of the 101 are above 3072 bytes")))
    }
  }
}

extension String {
  /// Returns how often the text occurs.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
