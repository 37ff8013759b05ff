internal import GatewayCore

/// Writes one JSON text straight into bytes (RFC 8259): no tree, no intermediate strings.
///
/// Commas are its own business; that objects and arrays are closed where they were opened is the business of the
/// closures they are written in.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  init(capacity: Int) {
    bytes.reserveCapacity(capacity)
  }

  /// The bytes of the one object that `body` writes the members of.
  static func object(capacity: Int = 160, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(capacity: capacity)
    writer.object(body)
    return writer.bytes
  }

  mutating func object(_ body: (inout JSONWriter) -> Void) {
    enclosed(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  mutating func member(_ name: StaticString, _ value: String) {
    key(name)
    string(value)
  }

  mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    raw(value ? "true" : "false")
  }

  /// A whole number; null if there is none.
  mutating func member(_ name: StaticString, _ value: Int64?) {
    key(name)
    if let value { integer(value) } else { raw("null") }
  }

  /// A duration in whole milliseconds; null if there is none.
  mutating func member(_ name: StaticString, milliseconds value: Duration?) {
    member(name, value?.milliseconds)
  }

  /// Nanoseconds as seconds, to the millisecond, a fraction only where there is one; null if there are none.
  mutating func member(_ name: StaticString, secondsOf nanoseconds: Int64?) {
    key(name)
    guard let nanoseconds else { return raw("null") }
    let milliseconds = nanoseconds / 1_000_000
    if milliseconds < 0 { bytes.append(UInt8(ascii: "-")) }
    let (seconds, fraction) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    integer(Int64(seconds))
    guard fraction > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    for divisor in [100, 10, 1] as [UInt64] { bytes.append(UInt8(ascii: "0") + UInt8(fraction / divisor % 10)) }
  }

  /// A value that is JSON already.
  mutating func member(_ name: StaticString, json value: String) {
    key(name)
    bytes.append(contentsOf: value.utf8)
  }

  mutating func member(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
    key(name)
    object(body)
  }

  mutating func member(_ name: StaticString, strings: some Sequence<String>) {
    key(name)
    enclosed(UInt8(ascii: "["), UInt8(ascii: "]")) { writer in
      for value in strings {
        writer.separate()
        writer.string(value)
      }
    }
  }

  private mutating func enclosed(_ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void) {
    bytes.append(open)
    needsComma = false
    body(&self)
    bytes.append(close)
    needsComma = true
  }

  private mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    raw(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  private mutating func integer(_ value: Int64) {
    bytes.append(contentsOf: String(value).utf8)
  }

  private mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      bytes.append(UInt8(ascii: "\""))
      var start = 0
      for index in utf8.indices where Self.needsEscape(utf8[index]) {
        bytes.append(contentsOf: utf8[start..<index])
        escape(utf8[index])
        start = index + 1
      }
      bytes.append(contentsOf: utf8[start...])
      bytes.append(UInt8(ascii: "\""))
    }
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// RFC 8259 section 7: the two-character escapes where there are such, else `\u00XX`.
  private mutating func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      raw("u00")
      for digit in [byte >> 4, byte & 0xF] {
        bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
  }
}
