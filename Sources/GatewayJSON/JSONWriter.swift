/// A writer of one compact JSON text, from front to back, into bytes. It writes the commas; the caller takes care of the
/// nesting.
package struct JSONWriter: Sendable {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false
  /// The place of the next value's first byte, or of the next name's.
  package var nextStart: Int { needsComma ? bytes.count + 1 : bytes.count }

  package init(capacity: Int = 256) {
    bytes.reserveCapacity(capacity)
  }

  /// Creates a writer whose text follows `prefix`, for wires that put a word before the JSON.
  package init(prefix: StaticString, capacity: Int = 256) {
    bytes.reserveCapacity(prefix.utf8CodeUnitCount + capacity)
    prefix.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Ends the text with a line feed, for wires of one JSON text a line.
  package mutating func lineFeed() {
    bytes.append(UInt8(ascii: "\n"))
  }

  package mutating func beginObject() { open(UInt8(ascii: "{")) }
  package mutating func endObject() { close(UInt8(ascii: "}")) }
  package mutating func beginArray() { open(UInt8(ascii: "[")) }
  package mutating func endArray() { close(UInt8(ascii: "]")) }

  /// Writes a member's name; the next value written is its value.
  package mutating func name(_ name: StaticString) {
    separate()
    name.withUTF8Buffer { quote($0) }
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a member's name; the next value written is its value.
  package mutating func name(_ name: String) {
    separate()
    var name = name
    name.withUTF8 { quote($0) }
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  package mutating func string(_ text: String) {
    separate()
    var text = text
    text.withUTF8 { quote($0) }
    needsComma = true
  }

  package mutating func integer(_ number: Int64) {
    separate()
    // 19 digits and a sign.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = digits.count
      var rest = number.magnitude
      repeat {
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
        rest = quotient
      } while rest > 0
      if number < 0 {
        start -= 1
        digits[start] = UInt8(ascii: "-")
      }
      bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[start...]))
    }
    needsComma = true
  }

  package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }
  package mutating func null() { raw("null") }

  /// Writes a number: a whole one without a fraction, one that is not finite as null, because JSON has no form for it.
  package mutating func number(_ number: Double) {
    if let whole = Int64(exactly: number) {
      integer(whole)
    } else if number.isFinite {
      raw("\(number)")
    } else {
      null()
    }
  }

  /// Writes a value that is JSON text already.
  package mutating func raw(_ json: String) {
    separate()
    bytes.append(contentsOf: json.utf8)
    needsComma = true
  }

  package mutating func member(_ name: StaticString, _ value: String) {
    self.name(name)
    string(value)
  }

  package mutating func member(_ name: StaticString, _ value: Int64) {
    self.name(name)
    integer(value)
  }

  package mutating func member(_ name: StaticString, _ value: Bool) {
    self.name(name)
    bool(value)
  }

  /// Returns a text as a JSON string, with its quotes.
  package static func string(_ text: String) -> String {
    var writer = JSONWriter(capacity: text.utf8.count + 2)
    writer.string(text)
    return writer.text
  }

  /// Returns the bytes of one object; `body` writes its members.
  package static func object(capacity: Int = 160, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(capacity: capacity)
    writer.beginObject()
    body(&writer)
    writer.endObject()
    return writer.bytes
  }

  package mutating func member(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
    self.name(name)
    beginObject()
    body(&self)
    endObject()
  }

  package mutating func member(_ name: StaticString, strings: some Sequence<String>) {
    self.name(name)
    beginArray()
    for text in strings { string(text) }
    endArray()
  }

  /// Writes an array of objects, one for each element; `body` writes its members.
  package mutating func member<Element>(
    _ name: StaticString, objects: some Sequence<Element>, _ body: (Element, inout JSONWriter) -> Void
  ) {
    self.name(name)
    beginArray()
    for element in objects {
      beginObject()
      body(element, &self)
      endObject()
    }
    endArray()
  }

  /// The text written so far.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Writes a member's name with a space on either side of the colon, the format that lines for people have always had.
  mutating func spacedName(_ name: String) {
    separate()
    var name = name
    name.withUTF8 { quote($0) }
    bytes.append(contentsOf: " : ".utf8)
    needsComma = false
  }

  /// Begins a line with that many spaces, for the next value or, if `isEnd`, for the closing bracket.
  mutating func breakLine(indent: Int, isEnd: Bool) {
    if !isEnd { separate() }
    needsComma = false
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func quote(_ text: UnsafeBufferPointer<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    if Self.needsNoEscape(text) {
      bytes.append(contentsOf: text)
    } else {
      for byte in text { escape(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsNoEscape(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(text)
    var position = 0
    while position + 8 <= bytes.count {
      guard !ByteWord.needsEscape(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) else { return false }
      position += 8
    }
    for byte in bytes[position...] where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
      return false
    }
    return true
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0..<0x20:
      let digits = Array("0123456789abcdef".utf8)
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(digits[Int(byte >> 4)])
      bytes.append(digits[Int(byte & 15)])
    default:
      bytes.append(byte)
    }
  }
}
