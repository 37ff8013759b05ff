/// The places of all values of one JSON text, in the text's order.
///
/// The index of `{"a": [1]}` has the object, the name `a`, the array and the 1. Any value may stand at the top, and numbers
/// may be of 64 bits without a sign. A text that violates RFC 8259 is rejected. A ``JSONDocument`` holds no number above
/// `Int64.max`, but the text of a `Duration` may have one.
struct JSONIndex: Sendable {
  enum Kind: UInt8, Sendable {
    case object, array, string, escapedString, integer, real, yes, no, null
  }

  /// A value, or a member's name.
  struct Node: Sendable {
    var kind: Kind
    /// The index of its first byte; of a string the first within the quotes.
    var start: Int
    /// The index after its last byte; of a string after the last within the quotes.
    var end: Int
    /// The number of elements or members.
    var count = 0
    /// The index of the node after it and its content.
    var next = 0
  }

  let bytes: [UInt8]
  /// The values in the text's order. An object's members are a node for the name and the nodes of the value, in turn.
  let nodes: [Node]

  /// The most levels that arrays and objects may nest.
  static let depthMax = 128

  init(_ bytes: [UInt8]) throws(JSONError) {
    do { _ = try UTF8Span(validating: bytes.span) } catch {
      throw .notUTF8(position: error.byteOffsets.lowerBound)
    }
    self.bytes = bytes
    nodes = try bytes.span.bytes.withUnsafeBytes { (text) throws(JSONError) in
      var scanner = JSONIndexScanner(text)
      return try scanner.index()
    }
  }

  /// Returns the text of a string or a name.
  func string(_ node: Int) -> String {
    let node = nodes[node]
    let text = bytes[node.start..<node.end]
    return String(decoding: node.kind == .escapedString ? ArraySlice(Self.unescaped(text)) : text, as: UTF8.self)
  }

  /// Returns whether a name is that text, byte for byte.
  func isString(_ node: Int, _ wanted: String.UTF8View) -> Bool {
    let node = nodes[node]
    let text = bytes[node.start..<node.end]
    return node.kind == .escapedString ? Self.unescaped(text).elementsEqual(wanted) : text.elementsEqual(wanted)
  }

  /// Returns the whole number, which may be written with a fraction of zeroes; nil if it is none, or does not fit the type.
  func integer<Number: FixedWidthInteger>(_ node: Int, as type: Number.Type) -> Number? {
    switch nodes[node].kind {
    case .integer: Number(String(decoding: bytes[nodes[node].start..<nodes[node].end], as: UTF8.self))
    case .real: number(node).flatMap { Number(exactly: $0) }
    default: nil
    }
  }

  /// Returns the number; nil if it is none, or too large.
  func number(_ node: Int) -> Double? {
    switch nodes[node].kind {
    case .integer, .real:
      Double(String(decoding: bytes[nodes[node].start..<nodes[node].end], as: UTF8.self))
        .flatMap { $0.isFinite ? $0 : nil }
    default: nil
    }
  }

  /// Returns a string's bytes with its escapes resolved, which the scanner has checked.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var rest = text
    func unit(_ digits: ArraySlice<UInt8>) -> UInt16 {
      UInt16(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0xFFFD
    }
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        result.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        var units = [unit(rest.prefix(4))]
        rest = rest.dropFirst(4)
        if UTF16.isLeadSurrogate(units[0]) {
          units.append(unit(rest.dropFirst(2).prefix(4)))
          rest = rest.dropFirst(6)
        }
        result.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
      default: result.append(escape)
      }
    }
    return result
  }
}
