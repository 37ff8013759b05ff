import GatewayJSON
import Testing

@Suite("The JSON writer")
struct JSONWriterTests {
  private func text(_ body: (inout JSONWriter) -> Void) -> String {
    String(decoding: JSONWriter.object(body), as: UTF8.self)
  }

  @Test("every string that was written is read back")
  func roundTrip() throws {
    for scalar in (0x01...0x2FF).compactMap(UnicodeScalar.init) {
      let value = "a\(scalar)b\(scalar)"
      let read = try JSONDocument.parse(JSONWriter.object { $0.member("s", value) }).root["s"]?.string
      #expect(read.map { Array($0.utf8) } == Array(value.utf8))
    }
  }

  @Test("commas stand between members and elements, on every level")
  func commas() {
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
}
