import GatewayJSON
import Testing

struct JSONWriterTests {
  private func text(_ body: (inout JSONWriter) -> Void) -> String {
    String(decoding: JSONWriter.object(body), as: UTF8.self)
  }

  @Test
  func `every written string is read back`() throws {
    for scalar in (0x01...0x2FF).compactMap(UnicodeScalar.init) {
      let value = "a\(scalar)b\(scalar)"
      let read = try JSONDocument.parse(JSONWriter.object { $0.member("s", value) }).root["s"]?.string
      #expect(read.map { Array($0.utf8) } == Array(value.utf8))
    }
  }

  @Test
  func `commas separate members and elements, on every level`() {
    let written = text { json in
      json.member("a") { _ in }
      json.member("b") { json in
        json.member("c", Int64(1))
        json.member("d", strings: [])
        json.member("e", strings: ["x", "y"])
      }
      json.member("f", true)
      json.name("g")
      json.null()
      json.name("h")
      json.raw("[1.0, {}]")
    }
    #expect(written == #"{"a":{},"b":{"c":1,"d":[],"e":["x","y"]},"f":true,"g":null,"h":[1.0, {}]}"#)
  }

  @Test
  func `whole numbers are written in their digits, up to the longest`() {
    for number in [0, 1, -1, 9, 10, -10, 1_234_567_890, Int64.max, Int64.min] {
      #expect(text { $0.member("n", number) } == "{\"n\":\(number)}")
    }
  }

  @Test
  func `characters that must be escaped are escaped at every position of a text`() throws {
    for (length, place) in (1...20).flatMap({ length in (0..<length).map { (length, $0) } }) {
      for odd in ["\"", "\\", "\u{1f}", "\u{0}", "\u{7f}", "é", "\u{10ffff}", " ", "!", "["] {
        let value = String(repeating: "x", count: place) + odd + String(repeating: "y", count: length - place - 1)
        let written = text { $0.member("s", value) }
        let read = try JSONCoder().decode([String: String].self, from: written)["s"]
        #expect(read.map { Array($0.utf8) } == Array(value.utf8), "\(written)")
      }
    }
  }
}
