internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// An answer to a REST request: a status and an object, to which the member `duration` is added when it is sent.
struct StreamAnswer: Sendable {
  let status: Int
  var json: JSONWriter
  private let durationAsNumber: Bool

  /// Creates an answer with the members that `body` writes.
  init(_ status: Int, durationAsNumber: Bool = false, _ body: (inout JSONWriter) -> Void = { _ in }) {
    self.status = status
    self.durationAsNumber = durationAsNumber
    json = JSONWriter(capacity: 1024)
    json.beginObject()
    body(&json)
  }

  /// Returns the HTTP response of a request that took `duration`.
  func response(after duration: Duration) -> HTTPResponse {
    var json = json
    if durationAsNumber {
      json.member("duration", duration.milliseconds)
    } else {
      json.member("duration", StreamDuration.text(duration))
    }
    json.endObject()
    return HTTPResponse(status: status, json: json.bytes)
  }
}
