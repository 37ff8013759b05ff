import GatewayTokens
import Testing

@testable import GatewayDialects

@Suite("The JSON writer")
struct JSONWriterTests {
  private func text(_ body: (inout JSONWriter) -> Void) -> String {
    String(decoding: JSONWriter.object(body), as: UTF8.self)
  }

  @Test("every string that was written is read back")
  func roundTrip() throws {
    for scalar in (0x01...0x2FF).compactMap(UnicodeScalar.init) {
      let value = "a\(scalar)b\(scalar)"
      let read = try JSONWriter.object { $0.member("s", value) }.withUnsafeBytes {
        try JSONObject($0).string("s", bytes: 0...100)
      }
      #expect(read == value)
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
      json.member("g", milliseconds: nil)
      json.name("h")
      json.raw("[1.0, {}]")
    }
    #expect(written == #"{"a":{},"b":{"c":1,"d":[],"e":["x","y"]},"f":true,"g":null,"h":[1.0, {}]}"#)
  }

  @Test(
    "seconds are written to the millisecond",
    arguments: [
      (0, "0"), (1_000_000_000, "1"), (1_500_000_000, "1.500"), (1_007_999_999, "1.007"), (-1_500_000_000, "-1.500"),
      (-999_999, "0"), (Int64.max, "9223372036.854"),
    ] as [(Int64, String)])
  func seconds(nanoseconds: Int64, expected: String) {
    #expect(text { $0.member("s", secondsOf: nanoseconds) } == #"{"s":\#(expected)}"#)
  }
}
