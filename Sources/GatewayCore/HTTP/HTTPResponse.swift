/// An HTTP response as a value (RFC 9110).
package struct HTTPResponse: Hashable, Sendable {
  package var status: Int
  /// The header fields, with names in lower case. The server adds `content-length` and `connection`.
  package var headers: [HTTPField]
  package var body: [UInt8]
  /// The body in pieces, which replaces `body` if it is set.
  package var stream: HTTPStream?
  /// The length of the streamed body, or of the body that the answer to a HEAD leaves out; nil if it is not known.
  package var contentLength: Int?

  package init(status: Int, headers: [HTTPField] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a response whose body is text of the given media type.
  package init(status: Int, contentType: String, text: String) {
    self.init(status: status, headers: [HTTPField("content-type", contentType)], body: Array(text.utf8))
  }

  /// Creates a response with a streamed body, by default events that a page reads with `EventSource`.
  package init(stream: HTTPStream, headers: [HTTPField] = ServerSentEvent.fields) {
    self.init(status: 200, headers: headers)
    self.stream = stream
  }

  /// Returns the first field with that name, which must be in lower case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name == name }?.value
  }
}
