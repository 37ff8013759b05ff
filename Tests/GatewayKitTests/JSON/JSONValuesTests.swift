import GatewayJSON
import GatewayKit
import Testing

struct JSONValuesTests {
  private func text(_ body: (inout JSONWriter) -> Void) -> String {
    String(decoding: JSONWriter.object(body), as: UTF8.self)
  }

  @Test(
    arguments: [
      (0, "0"), (1_000_000_000, "1"), (1_500_000_000, "1.500"), (1_007_999_999, "1.007"), (-1_500_000_000, "-1.500"),
      (-999_999, "0"), (Int64.max, "9223372036.854"),
    ] as [(Int64, String)])
  func `JSON members with seconds are written to the millisecond`(nanoseconds: Int64, expected: String) {
    #expect(text { $0.member("s", secondsOf: nanoseconds) } == #"{"s":\#(expected)}"#)
  }

  @Test
  func `JSON members with durations are whole milliseconds, or null for none`() {
    #expect(text { $0.member("d", milliseconds: .microseconds(1_500_999)) } == #"{"d":1500}"#)
    #expect(text { $0.member("d", milliseconds: nil) } == #"{"d":null}"#)
  }
}
