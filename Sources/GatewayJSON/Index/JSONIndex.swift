internal import Glibc

/// The places of all values of one JSON text, in the text's order.
///
/// The index of `{"a": [1]}` has the object, the name `a`, the array and the 1. A text that violates RFC 8259 is rejected.
struct JSONIndex: Sendable {
  /// The differences of a text from RFC 8259 that are allowed.
  struct Rules: Sendable {
    /// The maximum number of levels that arrays and objects may nest.
    var depthMax: Int
    /// Whether the text is a peer's: an object or array, in which each name is unique in its object, no string has NUL, and
    /// numbers have finite 64 bits.
    var isStrict = true
    /// Whether every number is read as a real, so that none is too large for 64 bits.
    var readsReals = false

    /// The rules for what Postern itself writes: any value, and numbers of 64 bits without a sign, as in a `Duration`.
    static let own = Rules(depthMax: 128, isStrict: false)
  }

  enum Kind: UInt8, Sendable {
    case object, array, string, escapedString, integer, real, yes, no, null
  }

  /// A value, or a member's name.
  struct Node: Sendable {
    private var first: UInt32
    private var last: UInt32
    private var elements: UInt32 = 0
    private var following: UInt32
    var kind: Kind

    init(kind: Kind, start: Int, end: Int, next: Int = 0) {
      self.kind = kind
      (first, last, following) = (UInt32(start), UInt32(end), UInt32(next))
    }

    /// The index of its first byte; of a string the first within the quotes.
    var start: Int { Int(first) }
    /// The index after its last byte; of a string after the last within the quotes.
    var end: Int {
      get { Int(last) }
      set { last = UInt32(newValue) }
    }
    /// The number of elements or members.
    var count: Int {
      get { Int(elements) }
      set { elements = UInt32(newValue) }
    }
    /// The index of the node after it and its content.
    var next: Int {
      get { Int(following) }
      set { following = UInt32(newValue) }
    }
  }

  let bytes: [UInt8]
  /// The values in the text's order. An object's members are a node for the name and the nodes of the value, in turn.
  let nodes: [Node]

  /// The longest text that can be indexed, in bytes.
  private static let sizeMax = 1 << 31

  init(_ bytes: [UInt8], _ rules: Rules = .own) throws(JSONError) {
    guard bytes.count <= Self.sizeMax else { throw .tooLarge(limit: Self.sizeMax) }
    do { _ = try UTF8Span(validating: bytes.span) } catch {
      throw .notUTF8(position: error.byteOffsets.lowerBound)
    }
    self.bytes = bytes
    nodes = try bytes.span.bytes.withUnsafeBytes { (text) throws(JSONError) in
      var scanner = JSONIndexScanner(text, rules)
      return try scanner.index()
    }
  }

  /// Returns the text of a string or a name.
  func string(_ node: Int) -> String {
    withUTF8(node) { String(decoding: $0, as: UTF8.self) }
  }

  /// Passes the bytes of a string or a name to `body`, with its escapes resolved, and returns its result.
  func withUTF8<T>(_ node: Int, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    let node = nodes[node]
    guard node.kind != .escapedString else {
      return Self.unescaped(bytes[node.start..<node.end]).withUnsafeBufferPointer(body)
    }
    return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[node.start..<node.end])) }
  }

  /// Returns the node of the value of the object's member of that name; nil if there is none. `object` must be an object.
  func member(named wanted: UnsafeBufferPointer<UInt8>, of object: Int) -> Int? {
    var name = object + 1
    for _ in 0..<nodes[object].count {
      let isWanted = withUTF8(name) { text in
        guard text.count == wanted.count else { return false }
        guard let one = text.baseAddress, let other = wanted.baseAddress else { return true }
        return memcmp(one, other, text.count) == 0
      }
      if isWanted { return name + 1 }
      name = nodes[name + 1].next
    }
    return nil
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
  static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    text.withUnsafeBytes { text in
      var place = 0
      while place < text.count {
        // The bytes between two escapes are copied at once.
        let run = lengthOfRun(in: text, from: place)
        result.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[place..<place + run]))
        place += run
        if place < text.count { place += append(escapeAt: place, of: text, to: &result) }
      }
    }
    return result
  }

  /// Returns the number of bytes before the next escape, or the end.
  private static func lengthOfRun(in text: UnsafeRawBufferPointer, from place: Int) -> Int {
    guard let base = text.baseAddress else { return 0 }
    let start = base + place
    guard let slash = memchr(start, CInt(UInt8(ascii: "\\")), text.count - place) else { return text.count - place }
    return UnsafeRawPointer(slash) - start
  }

  /// Appends the byte or character of an escape. Returns how many bytes the escape has.
  private static func append(escapeAt place: Int, of text: UnsafeRawBufferPointer, to result: inout [UInt8]) -> Int {
    func unit(_ start: Int) -> UInt16 {
      guard start + 4 <= text.count else { return 0xFFFD }
      return UInt16(String(decoding: text[start..<start + 4], as: UTF8.self), radix: 16) ?? 0xFFFD
    }
    guard place + 1 < text.count else {
      result.append(text[place])
      return 1
    }
    switch text[place + 1] {
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"):
      var units = [unit(place + 2)]
      if UTF16.isLeadSurrogate(units[0]) { units.append(unit(place + 8)) }
      result.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
      return 6 * units.count
    default: result.append(text[place + 1])
    }
    return 2
  }
}
