import GatewayCore
import GatewaySimulator
import Testing

@testable import GatewayRuntime
@testable import GatewayTelemetry

@Suite struct OTLPTracesTests {
  private static let trace = TraceID(high: 0x0AF7_6519_16CD_43DD, low: 0x8448_EB21_1C80_319C)!

  private static func span(_ name: String = "connect", state: String = "", isSampled: Bool = true) -> SpanRecord {
    SpanRecord(
      name, .server, in: TraceContext(trace, below: 7, isSampled: isSampled, state: state), numbered: 0xB7,
      below: 7, isRemote: true, at: WallTime(nanoseconds: 1_795_579_919_000_000_001))
  }

  private static func text(_ spans: [SpanRecord]) -> String {
    String(decoding: OTLPTraces.body(spans, of: TraceResource(service: "edge", version: "1.2.3")), as: UTF8.self)
  }

  @Test func `a span is written as OTLP's JSON wants it, with hexadecimal numbers and 64 bits as text`() {
    var span = Self.span(state: "congo=t61")
    span.end = WallTime(nanoseconds: 1_795_579_920_000_000_002)
    (span.method, span.status, span.dialect) = ("GET", 401, "plain")
    span.fail(.tokenExpired)
    span.link = SpanRecord.Link(Self.trace, 9)
    #expect(
      Self.text([span])
        == #"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"edge"}},"#
        + #"{"key":"service.version","value":{"stringValue":"1.2.3"}}]},"scopeSpans":[{"scope":{"name":"postern","#
        + #""version":"1.2.3"},"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00000000000000b7","#
        + #""traceState":"congo=t61","parentSpanId":"0000000000000007","flags":769,"name":"connect","kind":2,"#
        + #""startTimeUnixNano":"1795579919000000001","endTimeUnixNano":"1795579920000000002","attributes":["#
        + #"{"key":"http.request.method","value":{"stringValue":"GET"}},"#
        + #"{"key":"http.response.status_code","value":{"intValue":"401"}},"#
        + #"{"key":"error.type","value":{"stringValue":"token_expired"}},"#
        + #"{"key":"postern.dialect","value":{"stringValue":"plain"}},"#
        + #"{"key":"postern.error","value":{"intValue":"401002"}}],"#
        + #""links":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"0000000000000009"}],"#
        + #""status":{"code":2}}]}]}]}"#)
  }

  @Test func `what a span does not have is left out`() {
    let text = Self.text([Self.span(isSampled: false)])
    for name in ["traceState", "links", "status", "http.", "error", "user.id"] { #expect(!text.has(name)) }
    #expect(text.has(#""flags":768"#))
  }

  @Test func `a user's long name is cut between characters, and escaped`() {
    var span = Self.span()
    span.user = String(repeating: "é", count: 200) + "\""
    #expect(Self.text([span]).has("\"" + String(repeating: "é", count: 128) + "\""))
    span.user = "a\"b"
    #expect(Self.text([span]).has(#""stringValue":"a\"b""#))
  }
}

extension String {
  func has(_ text: String) -> Bool { contains(text) }
}
