import GatewayCore
import Testing

/// The place of a request in a trace (W3C Trace Context).
struct TraceContextTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let good = "00-\(trace)-00f067aa0ba902b7-01"

  private func fields(_ parents: [String], _ states: [String] = []) -> [HTTPField] {
    let headers =
      parents.map { HTTPField("traceparent", $0) } + states.map { HTTPField("tracestate", $0) }
    return TraceContext(of: HTTPRequest(method: "GET", path: "/", headers: headers))?.fields ?? []
  }

  private func state(_ states: [String]) -> String? {
    fields([Self.good], states).first { $0.name == "tracestate" }?.value
  }

  @Test(arguments: [
    ("00-\(trace)-00f067aa0ba902b7-01", "01"), ("00-\(trace)-00f067aa0ba902b7-00", "00"),
    // Other flags and later versions are those of nobody here.
    ("00-\(trace)-00f067aa0ba902b7-ff", "01"), ("00-\(trace)-00f067aa0ba902b7-fe", "00"),
    ("cc-\(trace)-00f067aa0ba902b7-01", "01"), ("cc-\(trace)-00f067aa0ba902b7-01-what-comes", "01"),
  ])
  func `a valid traceparent goes on in version 00 with its trace, its parent and whether it is sampled`(
    text: String, flags: String
  ) {
    #expect(fields([text]) == [HTTPField("traceparent", "00-\(Self.trace)-00f067aa0ba902b7-\(flags)")])
  }

  @Test(arguments: [
    "", "00", "00-\(trace)-00f067aa0ba902b7", "00-\(trace)-00f067aa0ba902b7-1", "00-\(trace)-00f067aa0ba902b7-01-",
    "00-\(trace)-00f067aa0ba902b7-01-more", "cc-\(trace)-00f067aa0ba902b7-01.more", "ff-\(trace)-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-\(trace)-0000000000000000-01",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", "00-\(trace)-00f067aa0ba902bg-01",
    "00_\(trace)-00f067aa0ba902b7-01", "00-\(trace)-00f067aa0ba902b7-é1", "+0-\(trace)-00f067aa0ba902b7-01",
  ])
  func `a malformed traceparent is none, and its tracestate is dropped with it`(text: String) {
    #expect(fields([text], ["a=1"]).isEmpty)
  }

  @Test
  func `two traceparents are none`() {
    #expect(fields([Self.good, Self.good]).isEmpty)
  }

  @Test
  func `members of tracestate go on in order, up to 512 bytes, the long ones dropped first and then the last`() {
    #expect(state(["a=1 ,\tb=2", "", "c=x y"]) == "a=1,b=2,c=x y")
    let (long, short) = ("l=" + String(repeating: "x", count: 300), "s=" + String(repeating: "y", count: 98))
    #expect(state([long, short]) == "\(long),\(short)")
    #expect(state([short, long, short, short]) == "\(short),\(short),\(short)")
    let five = Array(repeating: short, count: 5).joined(separator: ",")
    #expect(five.utf8.count == 504 && state([five, "tail=123"]) == five)
    #expect(state([five, "b=12345"]) == "\(five),b=12345")
    let longer = "m=" + String(repeating: "z", count: 300)
    #expect(state([long, longer]) == long)
    #expect(state(["m=" + String(repeating: "z", count: 600)]) == nil)
  }

  @Test(arguments: ["a", "=1", "a=1,b", "a=\u{7F}", "a=é", String(repeating: "a=1,", count: 33)])
  func `a malformed tracestate or one of more than 32 members is dropped, and the trace goes on`(text: String) {
    #expect(fields([Self.good], [text]) == [HTTPField("traceparent", Self.good)])
  }
}
