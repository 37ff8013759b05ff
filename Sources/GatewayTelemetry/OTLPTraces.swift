internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime

/// The body of `POST /v1/traces`: OTLP as JSON.
///
/// Numbers of traces and spans are hexadecimal, enumerations are integers, and numbers of 64 bits are decimal text.
///
/// <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>
enum OTLPTraces {
  /// The bits of `flags` that say whether a parent is another process's: that it is known, and that it is so.
  private static let (knowsRemote, isRemote) = (0x100 as Int64, 0x200 as Int64)
  private static let statusOfError: Int64 = 2
  /// Text of others is cut off there.
  private static let textBytesMax = 256

  /// Returns the body for spans of one process.
  static func body(_ spans: [SpanRecord], of resource: TraceResource) -> [UInt8] {
    JSONWriter.object(capacity: 512 + 512 * spans.count) { json in
      json.member("resourceSpans", objects: [resource]) { resource, json in
        json.member("resource") { json in
          attributes(&json) { list in
            list.add("service.name", resource.service)
            list.add("service.version", resource.version)
          }
        }
        json.member("scopeSpans", objects: [spans]) { spans, json in
          json.member("scope") { json in
            json.member("name", "postern")
            json.member("version", resource.version)
          }
          json.member("spans", objects: spans) { span, json in write(span, to: &json) }
        }
      }
    }
  }

  private static func write(_ span: SpanRecord, to json: inout JSONWriter) {
    json.member("traceId", span.trace.description)
    json.member("spanId", span.span.hexDigits)
    if !span.state.isEmpty { json.member("traceState", span.state) }
    if span.parent != 0 { json.member("parentSpanId", span.parent.hexDigits) }
    json.member("flags", (span.isSampled ? 1 : 0) | knowsRemote | (span.hasRemoteParent ? isRemote : 0))
    json.member("name", span.name)
    json.member("kind", span.kind.rawValue)
    json.member("startTimeUnixNano", String(span.start.nanoseconds))
    json.member("endTimeUnixNano", String(span.end.nanoseconds))
    attributes(&json) { list in
      if let method = span.method { list.add("http.request.method", method) }
      if let status = span.status { list.add("http.response.status_code", Int64(status)) }
      if let server = span.server { list.add("server.address", server) }
      if let error = span.error { list.add("error.type", error) }
      if let dialect = span.dialect { list.add("postern.dialect", dialect) }
      if let number = span.errorNumber { list.add("postern.error", Int64(number)) }
      if let user = span.user { list.add("user.id", user) }
    }
    if let link = span.link {
      json.member("links", objects: [link]) { link, json in
        json.member("traceId", link.trace.description)
        json.member("spanId", link.span.hexDigits)
      }
    }
    if span.error != nil {
      json.member("status") { json in json.member("code", statusOfError) }
    }
  }

  /// Writes the array of attributes that `fill` makes.
  private static func attributes(_ json: inout JSONWriter, _ fill: (inout AttributeList) -> Void) {
    var list = AttributeList()
    fill(&list)
    json.member("attributes", objects: list.all) { attribute, json in
      json.member("key", attribute.key)
      json.member("value") { json in
        switch attribute.value {
        case .text(let text): json.member("stringValue", cut(text))
        case .number(let number): json.member("intValue", String(number))
        }
      }
    }
  }

  /// Returns the beginning of a text in at most 256 bytes, cut between characters.
  private static func cut(_ text: String) -> String {
    guard text.utf8.count > textBytesMax else { return text }
    var bytes = 0
    return String(
      text.prefix { character in
        bytes += character.utf8.count
        return bytes <= textBytesMax
      })
  }

  private struct AttributeList {
    enum Value {
      case text(String)
      case number(Int64)
    }

    private(set) var all: [(key: String, value: Value)] = []

    mutating func add(_ key: String, _ text: String) { all.append((key, .text(text))) }
    mutating func add(_ key: String, _ number: Int64) { all.append((key, .number(number))) }
  }
}
