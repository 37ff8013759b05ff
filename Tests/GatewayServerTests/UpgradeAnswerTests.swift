import GatewayCore
import GatewayRuntime
import Testing

@testable import GatewayServer

struct UpgradeAnswerTests {
  // The example in RFC 6455 section 1.3.
  private static let key = Array("dGhlIHNhbXBsZSBub25jZQ==".utf8)
  private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
  private static let good =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n"

  private func read(_ text: String, offered: [String] = []) -> UpgradeAnswer {
    Array(text.utf8).withUnsafeBytes {
      UpgradeAnswer.read($0, accept: UpgradeAnswer.accept(for: Self.key), offered: offered)
    }
  }

  @Test
  func `the answer to the RFC's key is the RFC's`() {
    #expect(String(decoding: UpgradeAnswer.accept(for: Self.key), as: UTF8.self) == Self.accept)
  }

  @Test
  func `a 101 opens, whatever the case of its words, and the bytes after it are frames`() {
    #expect(read(Self.good + "\r\n\u{1}\u{1}") == .open(after: (Self.good + "\r\n").utf8.count))
    let odd =
      "HTTP/1.1 101\r\nUPGRADE:WebSocket \r\nconnection: keep-alive,\tUPGRADE\r\nsec-websocket-ACCEPT: \(Self.accept)\r\nx\r\n\r\n"
    #expect(read(odd) == .open(after: odd.utf8.count))
    let bare = Self.good.replacing("\r\n", with: "\n") + "\n"
    #expect(read(bare) == .open(after: bare.utf8.count))
    #expect(read(Self.good + "Sec-WebSocket-Protocol: b\r\n\r\n", offered: ["a", "b"]) != .needsMore)
    let early = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    #expect(read(early + Self.good + "\r\n") == .open(after: (early + Self.good + "\r\n").utf8.count))
  }

  @Test
  func `a head that is not all there waits`() {
    let whole = Self.good + "\r\n"
    for count in 0..<whole.utf8.count {
      #expect(read(String(whole.utf8.prefix(count))!) == .needsMore)
    }
  }

  @Test(arguments: [200, 301, 302, 401, 403, 429, 503])
  func `any other status refuses`(status: Int) {
    #expect(
      read("HTTP/1.1 \(status) No\r\nLocation: http://elsewhere.example/\r\n\r\n") == .failed(.refused(status: status)))
  }

  @Test(arguments: [
    (
      "HTTP/1.1 101 x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n",
      "something else"
    ),
    ("HTTP/1.1 101 x\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n", "something else"),
    ("HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", "Sec-WebSocket-Accept"),
    (
      "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
      "Sec-WebSocket-Accept"
    ),
    (good + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n", "extension"),
    (good + "Sec-WebSocket-Protocol: c\r\n\r\n", "subprotocol"),
    ("HTTP/2 101 x\r\n\r\n", "no HTTP/1.1"), ("HTTP/1.1 abc\r\n\r\n", "no HTTP/1.1"), ("\r\n\r\n", "no HTTP/1.1"),
  ])
  func `a 101 that answers another question opens nothing, and says why`(text: String, words: String) {
    guard case .failed(.unreachable(let why)) = read(text, offered: ["a"]) else {
      Issue.record("it opened, or waits")
      return
    }
    #expect(why.contains(words))
  }

  @Test
  func `an answer in TLS, and one without end, are reported`() {
    let alert: [UInt8] = [0x15, 3, 3, 0, 2, 2, 10]
    #expect(
      alert.withUnsafeBytes { UpgradeAnswer.read($0, accept: [], offered: []) } == .failed(.insecure(.peerWantsTLS)))
    // An empty line among its bytes makes it no answer of HTTP.
    let handshake: [UInt8] = [0x16, 3, 3, 0x0a, 0x0a, 2, 10]
    #expect(
      handshake.withUnsafeBytes { UpgradeAnswer.read($0, accept: [], offered: []) }
        == .failed(.insecure(.peerWantsTLS)))
    let long = "HTTP/1.1 101 x\r\nx: " + String(repeating: "x", count: UpgradeAnswer.headBytesMax)
    #expect(read(long) == .failed(.unreachable("the answer's head is too long")))
    let hints = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", count: 1000)
    #expect(read(hints) == .failed(.unreachable("the answer's head is too long")))
  }

  @Test
  func `the request has what an upgrade needs and the caller's fields, each once, and no other line`() throws {
    var upgrade = HTTPRequest(method: "GET", path: "/a")
    upgrade.query = [HTTPField("q", "1 2")]
    upgrade.headers = [
      HTTPField("authorization", "Bearer t"), HTTPField("upgrade", "x"), HTTPField("x", "a\r\nb: c"),
      HTTPField("host", "h.example"),
    ]
    let target = DialTarget(host: "127.0.0.1", port: 81)
    let bytes = try #require(upgrade.opening(for: target, key: Self.key, subprotocols: ["a", "b"]))
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "GET /a?q=1%202 HTTP/1.1\r\nhost: h.example\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\n"
        + "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: a, b\r\nauthorization: Bearer t\r\n\r\n"
    )
    #expect(HTTPRequest(method: "GET", path: "/a b").opening(for: target, key: Self.key, subprotocols: []) == nil)
    #expect(upgrade.opening(for: target, key: Self.key, subprotocols: ["a\r\nx: y"]) == nil)
  }
}
