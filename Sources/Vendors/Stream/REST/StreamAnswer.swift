internal import GatewayCore
package import GatewayJSON
internal import GatewayKit

/// An answer to a REST request: 201, for instance, and an object whose member `duration` is added on the way out.
package struct StreamAnswer: Sendable {
  package let status: Int
  var json: JSONWriter
  private let durationAsNumber: Bool

  /// An answer with the members that `body` writes.
  package init(_ status: Int, durationAsNumber: Bool = false, _ body: (inout JSONWriter) -> Void = { _ in }) {
    self.status = status
    self.durationAsNumber = durationAsNumber
    json = JSONWriter(capacity: 1024)
    json.beginObject()
    body(&json)
  }

  /// The answer after so long a time.
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
