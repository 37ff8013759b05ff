/// An HTTP response as a value (RFC 9110): 429 with `retry-after` and a body of JSON, for instance.
package struct HTTPResponse: Hashable, Sendable {
  package var status: Int
  /// The fields, names in lower case. The server adds `content-length` and `connection` itself.
  package var headers: [HTTPField]
  package var body: [UInt8]
  /// What comes in place of `body` where that goes on.
  package var stream: HTTPStream?

  package init(status: Int, headers: [HTTPField] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A response whose body is text of the given media type.
  package init(status: Int, contentType: String, text: String) {
    self.init(status: status, headers: [HTTPField("content-type", contentType)], body: Array(text.utf8))
  }

  /// A response whose body goes on, by default events that a page reads with `EventSource`.
  package init(stream: HTTPStream, headers: [HTTPField] = ServerSentEvent.fields) {
    self.init(status: 200, headers: headers)
    self.stream = stream
  }

  /// The first field of that name, which is given in lower case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name == name }?.value
  }
}
