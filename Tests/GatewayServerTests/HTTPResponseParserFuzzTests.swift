import GatewayCore
import TestTraits
import Testing

@testable import GatewayServer

/// A generator of responses with a valid structure, some of whose pieces are randomly replaced by hostile ones.
private struct HostileResponses {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func below(_ limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }

  private mutating func pick(_ texts: [String]) -> String { texts[below(texts.count)] }

  private static let numbers = [
    "0", "5", "+5", "-0", "-1", "00000005", "1e3", "0x5", "7fffffffffffffff", "8000000000000000", "ffffffffffffffff",
    "9223372036854775807", "9223372036854775808", "18446744073709551616", "7FFFFFFFFFFFFFFE", "fffffff", "800001",
    "8388608", "8388609", "", " ", "٥", "5 ", "\t5",
  ]

  private mutating func lineEnd() -> String { below(12) == 0 ? pick(["\n", "\r", "", "\n\r", " \r\n"]) : "\r\n" }

  private mutating func head() -> String {
    let version = below(10) == 0 ? pick(["HTTP/1.0", "HTTP/2", "http/1.1", "HTTP/1.", "\u{15}\u{3}\u{1}"]) : "HTTP/1.1"
    let status =
      below(6) == 0 ? pick(["100", "101", "103", "199", "204", "304", "099", "+20", "600", "2000", ""]) : "200"
    var text = version + " " + status + pick(["", " OK"]) + lineEnd()
    for _ in 0..<below(4) {
      text += pick([
        "Content-Length: ", "Transfer-Encoding: ", "transfer-encoding: chunked, ", "Connection: ", "X\u{212A}: ", ": ",
        "content-length:", "Content-Length : ",
      ])
      text += below(3) == 0 ? "chunked" : pick(Self.numbers)
      text += lineEnd()
    }
    if below(2) == 0 { text += "Transfer-Encoding: chunked\r\n" }
    return text + lineEnd()
  }

  private mutating func chunk() -> String {
    guard below(3) == 0 else { return "5" + pick(["", ";x=y", " ;x"]) + lineEnd() + "hello" + lineEnd() }
    return pick(Self.numbers) + lineEnd() + pick(["hello", "", "hell", "hello!"]) + lineEnd()
  }

  mutating func response() -> [UInt8] {
    var text = ""
    for _ in 0..<below(3) { text += "HTTP/1.1 10\(pick(["0", "3"])) x\r\n\r\n" }
    text += head()
    for _ in 0..<below(5) { text += chunk() }
    text += pick(["0\r\n\r\n", "0\r\nX: y\r\n\r\n", "", "0\r\n", "more"])
    return Array(text.utf8)
  }
}

struct HTTPResponseParserFuzzTests {
  private func read(_ bytes: [UInt8], pieces: (Int) -> Int) -> (HTTPResponseParser.Step, HTTPResponseParser) {
    var parser = HTTPResponseParser(isHead: false)
    var step = HTTPResponseParser.Step.needsMore
    var start = 0
    while step == .needsMore, start < bytes.count {
      let end = min(bytes.count, start + pieces(bytes.count - start))
      step = bytes[start..<end].withUnsafeBytes { parser.consume($0) }
      start = end
    }
    if step == .needsMore { step = parser.end() }
    return (step, parser)
  }

  @Test(.long)
  func `a hostile response never traps the parser, and is read the same in whatever pieces it comes`() {
    var source = HostileResponses(seed: 30)
    var complete = 0
    for _ in 0..<4_000 {
      let bytes = source.response()
      let (step, parser) = read(bytes) { $0 }
      let (again, other) = read(bytes) { _ in 1 + source.below(7) }
      #expect(step == again && parser.response == other.response, "\(String(decoding: bytes, as: UTF8.self))")
      #expect(parser.response.body.count <= bytes.count)
      if step == .complete { complete += 1 }
    }
    // Enough are parsed that the code after the head is tested too.
    #expect(complete > 400)
  }
}
