internal import GatewayCore
internal import GatewayTokens

// Objects as closures, and the values the dialects write.

extension JSONWriter {
  /// The bytes of the one object that `body` writes the members of.
  static func object(capacity: Int = 160, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(capacity: capacity)
    writer.beginObject()
    body(&writer)
    writer.endObject()
    return writer.bytes
  }

  mutating func member(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
    self.name(name)
    beginObject()
    body(&self)
    endObject()
  }

  mutating func member(_ name: StaticString, strings: some Sequence<String>) {
    self.name(name)
    beginArray()
    for text in strings { string(text) }
    endArray()
  }

  /// A duration in whole milliseconds; null if there is none.
  mutating func member(_ name: StaticString, milliseconds duration: Duration?) {
    self.name(name)
    if let duration { integer(duration.milliseconds) } else { null() }
  }

  /// Nanoseconds as seconds, cut to the millisecond, a fraction only where there is one; null if there are none.
  mutating func member(_ name: StaticString, secondsOf nanoseconds: Int64?) {
    self.name(name)
    guard let nanoseconds else { return null() }
    let milliseconds = nanoseconds / 1_000_000
    let (seconds, fraction) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    let sign = milliseconds < 0 ? "-" : ""
    raw(fraction == 0 ? "\(sign)\(seconds)" : "\(sign)\(seconds).\(String(fraction + 1000).dropFirst())")
  }

  /// An error, the same over the socket and over HTTP.
  mutating func member(_ name: StaticString, _ error: GatewayError) {
    member(name) { json in
      json.member("number", Int64(error.number))
      json.member("name", error.name)
      json.member("message", error.message)
    }
  }
}
