internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayRuntime

/// A request and its answer as a recording has them, without secrets.
struct RecordedExchange {
  private let request: HTTPRequest
  private let answer: HTTPResponse?
  private let requestBody: String?
  private let answerBody: String?

  /// A longer body is left out.
  private static let bodyMax = 1 << 16
  /// The fields that are about one connection only.
  private static let leftOut: Set<String> = [
    "sec-websocket-key", "sec-websocket-accept", "via", "content-length", "date",
  ]

  init(_ exchange: HTTPExchange, _ scrubber: inout SecretScrubber) {
    var request = exchange.request
    request.path = scrubber.path(request.path)
    request.query = request.query.map { HTTPField(scrubber.word($0.name), scrubber.value($0.value, named: $0.name)) }
    request.headers = Self.fields(request.headers, &scrubber)
    requestBody = Self.text(request.body, &scrubber)
    self.request = request
    answer = exchange.answer.map { answer in
      var answer = answer
      answer.headers = Self.fields(answer.headers, &scrubber)
      return answer
    }
    answerBody = exchange.answer.flatMap { $0.stream == nil ? Self.text($0.body, &scrubber) : nil }
  }

  private static func fields(_ fields: [HTTPField], _ scrubber: inout SecretScrubber) -> [HTTPField] {
    fields.filter { !leftOut.contains($0.name) }.map { field in
      guard field.name == "sec-websocket-protocol" else {
        return HTTPField(scrubber.word(field.name), scrubber.value(field.value, named: field.name))
      }
      let names = field.value.split(separator: ",").map { name in
        scrubber.word(String(name.drop { $0 == " " }))
      }
      return HTTPField(field.name, names.joined(separator: ", "))
    }
  }

  private static func text(_ body: [UInt8], _ scrubber: inout SecretScrubber) -> String? {
    guard !body.isEmpty, body.count <= bodyMax, body.withUnsafeBytes(isText) else { return nil }
    return scrubber.text(body)
  }

  /// Returns whether bytes are text that a line can show.
  static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 || [0x09, 0x0a, 0x0d, 0x1e].contains($0) }
      && String(validating: bytes, as: UTF8.self) != nil
  }

  /// Writes the members of the line.
  func write(to json: inout JSONWriter) {
    json.member("request") { json in
      json.member("method", request.method)
      json.member("path", request.path)
      Self.write(request.query, "query", to: &json)
      Self.write(request.headers, "headers", to: &json)
      if let requestBody { json.member("body", requestBody) }
    }
    guard let answer else { return }
    json.member("answer") { json in
      json.member("status", Int64(answer.status))
      Self.write(answer.headers, "headers", to: &json)
      if let answerBody { json.member("body", answerBody) }
    }
  }

  private static func write(_ fields: [HTTPField], _ name: StaticString, to json: inout JSONWriter) {
    guard !fields.isEmpty else { return }
    json.name(name)
    json.beginArray()
    for field in fields {
      json.beginArray()
      json.string(field.name)
      json.string(field.value)
      json.endArray()
    }
    json.endArray()
  }
}
