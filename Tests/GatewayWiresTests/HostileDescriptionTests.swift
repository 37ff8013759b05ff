import Foundation
import GatewayCore
import TestSupport
import Testing

@testable import GatewayWires

struct HostileDescriptionTests {
  private static func files(_ folder: String) throws -> [String] {
    let base = WireDescriptionTests.folder.deletingLastPathComponent().appending(path: folder)
    return try FileManager.default.contentsOfDirectory(atPath: base.path).sorted()
      .filter { $0.hasSuffix(".json") && !$0.hasSuffix("schema.json") }
      .map { String(decoding: try Data(contentsOf: base.appending(path: $0)), as: UTF8.self) }
  }

  private static let words = [
    "{{token}}", "{{user}}", "{{taken.sid}}", "{{", "}}", "\"json\"", "\"/a/0\"", "\"5s\"", "\"1e300d\"",
    "\"99999999999d\"",
    "\"~2\"", "\"/~\"", "{}", "[]",
  ]

  @Test
  func `a hostile description of a wire is accepted or refused in words, and traps nothing`() throws {
    var source = HostileBytes(
      seed: 16, examples: try Self.files("wires") + [WireDescriptionTests.good], words: Self.words)
    var right = 0
    for _ in 0..<400 {
      let bytes = source.next()
      do {
        _ = try WireDescription(try DescriptionFile.parse(bytes, file: "w.json"))
        right += 1
      } catch {
        #expect(!"\(error)".isEmpty)
      }
    }
    #expect(right > 20)
  }

  @Test
  func `a hostile answer of a token endpoint is a token or a reason, and traps nothing`() throws {
    let endpoint = try TokenDescriptionTests.endpoint(
      #"{ "tokens": 1, "request": {"url": "/t"}, "answer": {"token": "/a/token", "end": {"seconds": "/expires_in"}} }"#)
    let now = WallTime(seconds: 1_800_000_000)
    var source = HostileBytes(
      seed: 17,
      examples: [
        #"{"a":{"token":"abc"},"expires_in":3600}"#,
        #"{"a":[{"token":"e30.eyJleHAiOjE4MDAwMDAwNjB9.c2ln"}],"error":"x"}"#,
      ], words: ["\"expires_in\"", "\"token\"", "1e300"])
    var dates = HostileBytes(seed: 18, examples: ["Fri, 15 Jan 2027 08:00:30 GMT", "120"])
    for _ in 0..<3_000 {
      var memory = endpoint.memory()
      let wish = TokenWish(
        user: UserID("ann"), number: 0, life: .lasting(.seconds(60)), isHopeless: false, now: now)
      let request = try endpoint.request(wish, memory)
      var response = HTTPResponse(
        status: [200, 201, 302, 400, 429, 503][source.below(6)], contentType: "application/json", text: source.text())
      response.headers += [HTTPField("date", dates.text()), HTTPField("retry-after", dates.text())]
      _ = endpoint.answer(response, to: request, at: now, &memory)
    }
  }

  @Test
  func `a hostile table of users traps no reader of CSV`() {
    var source = HostileBytes(
      seed: 19, examples: ["user,password\nann,\"a\"\"b\"\r\nbob,c\n", "a\n\"x\ny\"\n"], words: ["\"\"", ",", "\r"])
    for _ in 0..<4_000 { _ = try? CSVTable(source.next(), file: "u.csv") }
  }
}
