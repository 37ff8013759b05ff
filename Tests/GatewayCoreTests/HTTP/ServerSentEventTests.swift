import GatewayCore
import Testing

/// The event format of section 9.2 of the HTML standard.
struct ServerSentEventTests {
  static let cases: [(ServerSentEvent, String)] = [
    (ServerSentEvent(data: "hello"), "data: hello\n\n"),
    (ServerSentEvent(data: ""), "data: \n\n"),
    (ServerSentEvent(data: " a"), "data:  a\n\n"),
    (ServerSentEvent(id: "7", event: "login", data: "{}"), "id: 7\nevent: login\ndata: {}\n\n"),
    (ServerSentEvent(id: "", data: "x"), "id: \ndata: x\n\n"),
    (ServerSentEvent(data: "a\nb\r\nc\rd"), "data: a\ndata: b\ndata: c\ndata: d\n\n"),
    (ServerSentEvent(data: "\n"), "data: \ndata: \n\n"),
    (ServerSentEvent(data: "a\r\r\n\n\rb"), "data: a\ndata: \ndata: \ndata: \ndata: b\n\n"),
    (ServerSentEvent(data: "a\r\nid: 9"), "data: a\ndata: id: 9\n\n"),
    (ServerSentEvent(id: "7\ndata: no", event: "x", data: "a"), "event: x\ndata: a\n\n"),
    (ServerSentEvent(id: "7", event: "x\r", data: "a"), "id: 7\ndata: a\n\n"),
    (ServerSentEvent(id: "7\0", event: "x\r\ny", data: "é"), "data: é\n\n"),
  ]

  @Test(arguments: cases)
  func `a server-sent event consists of lines, and no value can add another line`(
    event: ServerSentEvent, expected: String
  ) {
    #expect(event.bytes == Array(expected.utf8))
  }

  @Test
  func `server-sent events have header fields that prevent caching, and may have comments in between`() {
    let stream = HTTPStream { nil }
    let response = HTTPResponse(stream: stream)
    #expect(response.status == 200 && response.header("content-type") == "text/event-stream")
    #expect(response.header("cache-control") == "no-store")
    #expect(response.stream == stream && response != HTTPResponse(stream: HTTPStream { nil }))
    #expect(ServerSentEvent.keepAlive == Array(":\n\n".utf8))
  }
}
