import GatewayCore
import Testing

@testable import GatewayServer

struct HTTPResponseParserTests {
  private func parse(_ text: String, byByte: Bool = false, isHead: Bool = false) -> (
    HTTPResponseParser.Step, HTTPResponse
  ) {
    var parser = HTTPResponseParser(isHead: isHead)
    var step = HTTPResponseParser.Step.needsMore
    let bytes = Array(text.utf8)
    for piece in byByte ? bytes.map({ [$0] }) : [bytes] where step == .needsMore {
      step = piece.withUnsafeBytes { parser.consume($0) }
    }
    if step == .needsMore { step = parser.end() }
    return (step, parser.response)
  }

  @Test(
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
      "HTTP/1.0 200 OK\r\n\r\nhello", "HTTP/1.1 200\nContent-Length: 5\n\nhello",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ], [true, false])
  func `every framing gives the body, at once or byte by byte`(text: String, byByte: Bool) {
    let (step, response) = parse(text, byByte: byByte)
    #expect(step == .complete)
    #expect(response.status == 200)
    #expect(response.body == Array("hello".utf8))
  }

  @Test(arguments: ["204 No Content", "304 Not Modified"])
  func `an answer without a body is complete with its head`(status: String) {
    #expect(parse("HTTP/1.1 \(status)\r\nContent-Length: 5\r\n\r\n").0 == .complete)
    #expect(parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", isHead: true).0 == .complete)
  }

  @Test(arguments: [
    "", "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
    "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", "HTTP/1.1 200 OK\r\nbroken\r\n\r\n",
    "HTTP/1.1 200 OK\r\nx: " + String(repeating: "a", count: 70_000),
  ])
  func `bytes that are no whole response are invalid`(text: String) {
    guard case .invalid(let reason) = parse(text).0 else {
      Issue.record("taken for a response")
      return
    }
    #expect(!reason.isEmpty)
  }

  private static let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test(arguments: ["7FFFFFFFFFFFFFFF", "7ffffffffffffffe", "8000000000000000", "FFFFFFFFFFFFFFFF", "7FFFFFFFFFFFFFF"])
  func `a chunk size near Int.max behind another chunk is refused, not added`(size: String) {
    for byByte in [false, true] {
      guard case .invalid = parse(Self.chunkedHead + "5\r\nhello\r\n\(size)\r\n", byByte: byByte).0 else {
        Issue.record("taken for a chunk")
        return
      }
    }
  }

  @Test(arguments: [
    "+5\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n-0\r\n\r\n", "5\r\nhelloXX0\r\n\r\n", "5\r\nhello\n0\r\n\r\n",
    "5\r\nhello0\r\n\r\n",
  ])
  func `a chunk size with a sign, and chunk data without its line end, are refused`(body: String) {
    #expect(parse(Self.chunkedHead + body).0 == .invalid("the response's chunks are malformed"))
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: -0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n", "HTTP/1.1 +20 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 4\r\n\r\nhello",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
  ])
  func `a Content-Length or status that is not decimal digits only is refused`(text: String) {
    guard case .invalid = parse(text).0 else {
      Issue.record("taken for a response")
      return
    }
  }

  @Test
  func `100 Continue without end is refused above the limit of a head`() {
    var parser = HTTPResponseParser(isHead: false)
    let piece = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    var count = 0
    var step = HTTPResponseParser.Step.needsMore
    while step == .needsMore, count < 10_000 {
      step = piece.withUnsafeBytes { parser.consume($0) }
      count += 1
    }
    #expect(step == .invalid("the response's head is above \(HTTPResponseParser.headBytesMax) bytes"))
    #expect(count * piece.count <= HTTPResponseParser.headBytesMax + 2 * piece.count)
  }

  @Test
  func `chunks whose extensions are longer than their data leave only their data behind`() {
    var parser = HTTPResponseParser(isHead: false)
    func consume(_ text: String) -> HTTPResponseParser.Step { Array(text.utf8).withUnsafeBytes { parser.consume($0) } }
    #expect(consume(Self.chunkedHead) == .needsMore)
    let chunk = "1;" + String(repeating: "x", count: 200) + "\r\na\r\n"
    for _ in 0..<1_000 { #expect(consume(chunk) == .needsMore) }
    #expect(consume("1;" + String(repeating: "x", count: 300)) == .invalid("the response's chunks are malformed"))
  }

  @Test
  func `a connection is used again only after a response that ends exactly with the bytes`() {
    func isReusable(_ text: String) -> Bool {
      var parser = HTTPResponseParser(isHead: false)
      return Array(text.utf8).withUnsafeBytes { parser.consume($0) } == .complete && parser.isReusable
    }
    #expect(isReusable("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"))
    #expect(isReusable(Self.chunkedHead + "5\r\nhello\r\n0\r\nX: y\r\n\r\n"))
    #expect(!isReusable("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello!"))
    #expect(!isReusable(Self.chunkedHead + "0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"))
    #expect(!isReusable("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"))
    #expect(!isReusable("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"))
  }
}
