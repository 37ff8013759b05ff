import GatewayCore
import Testing

@testable import GatewayServer

@Suite("Responses that a fetch reads") struct HTTPResponseParserTests {
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
    "every framing gives the body, at once or byte by byte",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
      "HTTP/1.0 200 OK\r\n\r\nhello", "HTTP/1.1 200\nContent-Length: 5\n\nhello",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ], [true, false])
  func framings(text: String, byByte: Bool) {
    let (step, response) = parse(text, byByte: byByte)
    #expect(step == .complete)
    #expect(response.status == 200)
    #expect(response.body == Array("hello".utf8))
  }

  @Test("an answer without a body is complete with its head", arguments: ["204 No Content", "304 Not Modified"])
  func noBody(status: String) {
    #expect(parse("HTTP/1.1 \(status)\r\nContent-Length: 5\r\n\r\n").0 == .complete)
    #expect(parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", isHead: true).0 == .complete)
  }

  @Test(
    "what is no response, or no whole one, is invalid",
    arguments: [
      "", "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
      "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", "HTTP/1.1 200 OK\r\nbroken\r\n\r\n",
      "HTTP/1.1 200 OK\r\nx: " + String(repeating: "a", count: 70_000),
    ])
  func invalid(text: String) {
    guard case .invalid(let reason) = parse(text).0 else {
      Issue.record("taken for a response")
      return
    }
    #expect(!reason.isEmpty)
  }
}
