package import GatewayCore
package import GatewayJSON

// The values that dialects write.

extension JSONWriter {
  /// Writes a duration in whole milliseconds; null if there is none.
  package mutating func member(_ name: StaticString, milliseconds duration: Duration?) {
    self.name(name)
    if let duration { integer(duration.milliseconds) } else { null() }
  }

  /// Writes nanoseconds as seconds, truncated to milliseconds, with a fraction only if it is not zero; null if nil.
  package mutating func member(_ name: StaticString, secondsOf nanoseconds: Int64?) {
    self.name(name)
    guard let nanoseconds else { return null() }
    let milliseconds = nanoseconds / 1_000_000
    let (seconds, fraction) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    let sign = milliseconds < 0 ? "-" : ""
    raw(fraction == 0 ? "\(sign)\(seconds)" : "\(sign)\(seconds).\(String(fraction + 1000).dropFirst())")
  }

  /// Writes an error. The form is the same over the socket and over HTTP.
  package mutating func member(_ name: StaticString, _ error: GatewayError) {
    member(name) { json in
      json.member("number", Int64(error.number))
      json.member("name", error.name)
      json.member("message", error.message)
    }
  }
}
