/// The place of a request in a trace of the application's own, as the request's `traceparent` and `tracestate` name it
/// (W3C Trace Context).
package struct TraceContext: Hashable, Sendable {
  package let trace: TraceID
  /// The number of the sender's operation; not 0.
  package let parent: UInt64
  /// Whether the sender may have recorded the trace.
  package let isSampled: Bool
  /// The vendors' own members, as in `tracestate`; empty for none.
  package let state: String

  private static let length = 55
  private static let stateBytesMax = 512
  /// Longer members are dropped first.
  private static let memberBytesMax = 128
  private static let membersMax = 32

  /// The place below an operation of this process, whose number is `parent`, not 0.
  package init(_ trace: TraceID, below parent: UInt64, isSampled: Bool, state: String = "") {
    (self.trace, self.parent, self.isSampled, self.state) = (trace, parent, isSampled, state)
  }

  /// Reads the context of a request; nil if it has none, more than one, or a malformed one.
  package init?(of request: HTTPRequest) {
    let parents = request.headers.filter { $0.name == "traceparent" }
    guard parents.count == 1, let text = parents.first?.value else { return nil }
    let bytes = Array(text.utf8)
    guard bytes.count >= Self.length, let version = Self.number(bytes[0..<2]), version != 0xFF,
      bytes.count == Self.length || version > 0 && bytes[Self.length] == UInt8(ascii: "-"),
      [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }), let high = Self.number(bytes[3..<19]),
      let low = Self.number(bytes[19..<35]), let parent = Self.number(bytes[36..<52]), parent != 0,
      let flags = Self.number(bytes[53..<55]), let trace = TraceID(high: high, low: low)
    else { return nil }
    (self.trace, self.parent, isSampled) = (trace, parent, flags & 1 == 1)
    state = Self.state(request.headers.filter { $0.name == "tracestate" }.map(\.value))
  }

  /// The header fields by which the trace goes on, in version 00. The receiver's operation is a child of the sender's.
  package var fields: [HTTPField] {
    let own = HTTPField("traceparent", "00-\(trace)-\(parent.hexDigits)-\(isSampled ? "01" : "00")")
    return state.isEmpty ? [own] : [own, HTTPField("tracestate", state)]
  }

  /// Returns the number that the digits say; nil unless all are hexadecimal in lower case. At most 16.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return number
  }

  /// Returns the members of the fields, in 512 bytes at most; empty if one is malformed or they are too many.
  private static func state(_ values: [String]) -> String {
    var members: [ArraySlice<UInt8>] = []
    for value in values {
      for part in Array(value.utf8).split(separator: UInt8(ascii: ",")) {
        let member = part.drop { isSpace($0) }
        guard let last = member.lastIndex(where: { !isSpace($0) }) else { continue }
        members.append(member[...last])
      }
    }
    let areGood = members.allSatisfy { member in
      member.first != UInt8(ascii: "=") && member.contains(UInt8(ascii: "="))
        && member.allSatisfy { (0x20...0x7E).contains($0) }
    }
    guard areGood, members.count <= membersMax else { return "" }
    let isShort = { members.reduce(0) { $0 + $1.count + 1 } <= stateBytesMax + 1 }
    while !isShort(), let long = members.lastIndex(where: { $0.count > memberBytesMax }) { members.remove(at: long) }
    while !isShort() { members.removeLast() }
    return String(decoding: Array(members.joined(separator: [UInt8(ascii: ",")])), as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
