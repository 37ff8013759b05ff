import GatewayCore
import GatewayRuntime
import GatewayServer
import TestTraits
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StreamedFetchTests {
  /// The pieces of a body that a test has received, and its decision after each of them.
  private final class Reader: Sendable {
    let body = Box<[UInt8]>([])
    let calls = Box(0)
    let decide: @Sendable (_ received: [UInt8]) -> Duration?

    init(_ decide: @escaping @Sendable (_ received: [UInt8]) -> Duration? = { _ in .seconds(60) }) {
      self.decide = decide
    }

    func receive(_ piece: [UInt8]) -> Duration? {
      calls.update { $0 += 1 }
      return decide(
        body.update { body in
          body += piece
          return body
        })
    }
  }

  private static func stream(
    _ path: String = "/feed", from server: TestServer, isTLS: Bool = false, to reader: Reader
  ) async throws -> Result<HTTPResponse, DialFailure> {
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let target = DialTarget(
      host: "127.0.0.1", port: server.port, isTLS: isTLS, allowsUntrustedCertificate: isTLS)
    return await Task(executorPreference: loop.events) {
      await SocketDialer(on: loop).stream(
        HTTPRequest(method: "POST", path: path), from: target, timeout: .seconds(60)
      ) { reader.receive($0) }
    }.value
  }

  @Test
  func `the pieces of a streamed answer are received before the answer has ended`() async throws {
    let feed = TestFeed(endsByItself: true)
    // Each piece is given only when the one before has been received.
    let reader = Reader { received in
      switch String(decoding: received, as: UTF8.self) {
      case "": feed.give("one\n")
      case "one\n": feed.give("two\n")
      case "one\ntwo\n": feed.end()
      default: break
      }
      return .seconds(60)
    }
    try await TestServer.with(feed.site) { server in
      let response = try await Self.stream(from: server, to: reader).get()
      #expect(response.status == 200 && response.body.isEmpty)
    }
    #expect(reader.body.get() == Array("one\ntwo\n".utf8) && reader.calls.get() >= 3)
  }

  @Test(.long, arguments: [false, true])
  func `a streamed answer may be larger than the limit of a buffered one`(isTLS: Bool) async throws {
    let feed = TestFeed(endsByItself: true)
    let piece = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    let reader = Reader()
    let certificate = isTLS ? try TestCertificate() : nil
    let files = certificate?.files
    try await TestServer.with(feed.site { feed.flood(piece, times: 20) }, { $0.tls = files }) { server in
      let response = try await Self.stream(from: server, isTLS: isTLS, to: reader).get()
      #expect(response.status == 200 && response.body.isEmpty)
    }
    #expect(reader.body.get().count == 20 << 20 && reader.body.get().starts(with: piece))
  }

  @Test
  func `a streamed answer that is silent for longer than its receiver allows has timed out`() async throws {
    let feed = TestFeed(endsByItself: true)
    let reader = Reader { $0.isEmpty ? .seconds(60) : .milliseconds(20) }
    feed.give("the last")
    try await TestServer.with(feed.site) { server in
      let outcome = try await Self.stream(from: server, to: reader)
      #expect(outcome == .failure(.timedOut))
    }
    #expect(reader.body.get() == Array("the last".utf8))
  }

  @Test
  func `a receiver that wants no more ends the connection, and the source of the answer is released`() async throws {
    let feed = TestFeed(endsByItself: true)
    let reader = Reader { $0.count < 1_000_000 ? .seconds(60) : nil }
    try await TestServer.with(feed.site { feed.flood(Array(repeating: 1, count: 10_000)) }) { server in
      guard case .failure(.unreachable(let reason)) = try await Self.stream(from: server, to: reader) else {
        Issue.record("the answer has no end")
        return
      }
      #expect(reason.contains("wants no more"))
      feed.released.wait { $0 > 0 }
    }
    #expect(reader.body.get().count < 2_000_000)
  }

  @Test
  func `an answer that is no 200 is returned whole, and its body is not passed on`() async throws {
    var site = TestSite()
    site.onRespond = { _, _ in HTTPResponse(status: 409, contentType: "text/plain", text: "busy") }
    let reader = Reader()
    try await TestServer.with(site) { server in
      let response = try await Self.stream(from: server, to: reader).get()
      #expect(response.status == 409 && response.body == Array("busy".utf8))
    }
    #expect(reader.calls.get() == 0)
  }

  @Test
  func `an answer with a known length is passed on too, and ends with its last byte`() async throws {
    let reader = Reader()
    try await TestServer.with { server in
      let response = try await Self.stream("/x", from: server, to: reader).get()
      #expect(response.status == 200)
    }
    #expect(String(decoding: reader.body.get(), as: UTF8.self) == "POST /x")
  }
}
