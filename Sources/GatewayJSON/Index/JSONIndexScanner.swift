/// A cursor on JSON text that records the place of each value, and rejects what RFC 8259 does not allow, e.g. `01`.
struct JSONIndexScanner {
  private let text: UnsafeRawBufferPointer
  private let rules: JSONIndex.Rules
  private var position = 0
  private var depth = 0
  private var nodes: [JSONIndex.Node] = []

  /// Creates a scanner.
  /// - Parameter text: Well-formed UTF-8.
  init(_ text: UnsafeRawBufferPointer, _ rules: JSONIndex.Rules) {
    self.text = text
    self.rules = rules
  }

  mutating func index() throws(JSONError) -> [JSONIndex.Node] {
    nodes.reserveCapacity(16)
    let first = next()
    guard !rules.isStrict || first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { throw malformed }
    try value()
    guard next() == nil else { throw malformed }
    return nodes
  }

  private var malformed: JSONError { .malformed(position: position) }

  /// Steps over white space and returns the next byte, or nil at the end.
  private mutating func next() -> UInt8? {
    while position < text.count {
      let byte = text[position]
      guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return byte }
      position += 1
    }
    return nil
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next() == byte else { return false }
    position += 1
    return true
  }

  private mutating func value() throws(JSONError) {
    switch next() {
    case UInt8(ascii: "{"): try members()
    case UInt8(ascii: "["): try elements()
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true", .yes)
    case UInt8(ascii: "f"): try word("false", .no)
    case UInt8(ascii: "n"): try word("null", .null)
    default: try number()
    }
  }

  private mutating func members() throws(JSONError) {
    let object = try open(.object)
    if take(UInt8(ascii: "}")) { return close(object) }
    var names = JSONNames()
    repeat {
      guard next() == UInt8(ascii: "\"") else { throw malformed }
      let name = nodes.count
      try string()
      if rules.isStrict, !names.add(name, to: object, nodes, text) {
        throw .duplicateMember(position: nodes[name].start - 1)
      }
      guard take(UInt8(ascii: ":")) else { throw malformed }
      try value()
      nodes[object].count += 1
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw malformed }
    close(object)
  }

  private mutating func elements() throws(JSONError) {
    let array = try open(.array)
    if take(UInt8(ascii: "]")) { return close(array) }
    repeat {
      try value()
      nodes[array].count += 1
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw malformed }
    close(array)
  }

  /// Steps over an opening bracket and returns the index of its node.
  private mutating func open(_ kind: JSONIndex.Kind) throws(JSONError) -> Int {
    guard depth < rules.depthMax else { throw .tooDeep(limit: rules.depthMax) }
    depth += 1
    nodes.append(JSONIndex.Node(kind: kind, start: position, end: position))
    position += 1
    return nodes.count - 1
  }

  private mutating func close(_ node: Int) {
    depth -= 1
    nodes[node].end = position
    nodes[node].next = nodes.count
  }

  private mutating func note(_ kind: JSONIndex.Kind, _ start: Int, _ end: Int) {
    nodes.append(JSONIndex.Node(kind: kind, start: start, end: end, next: nodes.count + 1))
  }

  private mutating func word(_ word: StaticString, _ kind: JSONIndex.Kind) throws(JSONError) {
    let start = position
    guard text[start...].starts(with: UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    else { throw malformed }
    position += word.utf8CodeUnitCount
    note(kind, start, position)
  }

  // MARK: Strings

  private mutating func string() throws(JSONError) {
    position += 1
    let start = position
    var kind = JSONIndex.Kind.string
    while position < text.count {
      let byte = text[position]
      switch byte {
      case UInt8(ascii: "\""):
        note(kind, start, position)
        position += 1
        return
      case UInt8(ascii: "\\"):
        kind = .escapedString
        try escape()
      case 0..<0x20: throw malformed
      default: position += 1
      }
    }
    throw malformed
  }

  private mutating func escape() throws(JSONError) {
    guard position + 1 < text.count else { throw malformed }
    switch text[position + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    case UInt8(ascii: "u"):
      let first = try unit()
      guard first != 0 || !rules.isStrict else { throw malformed }
      guard !UTF16.isTrailSurrogate(first) else { throw malformed }
      if UTF16.isLeadSurrogate(first) {
        guard UTF16.isTrailSurrogate(try unit()) else { throw malformed }
      }
    default: throw malformed
    }
  }

  /// Steps over one `\u` and its four digits, and returns their value.
  private mutating func unit() throws(JSONError) -> UInt16 {
    guard position + 6 <= text.count, text[position] == UInt8(ascii: "\\"), text[position + 1] == UInt8(ascii: "u")
    else { throw malformed }
    var unit: UInt16 = 0
    for digit in text[position + 2..<position + 6] {
      guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { throw malformed }
      unit = unit << 4 | UInt16(value)
    }
    position += 6
    return unit
  }

  // MARK: Numbers

  private mutating func number() throws(JSONError) {
    let start = position
    var kind = JSONIndex.Kind.integer
    var hasExponent = false
    if current == UInt8(ascii: "-") { position += 1 }
    let whole = position
    guard digits() > 0, text[whole] != UInt8(ascii: "0") || position == whole + 1 else { throw malformed }
    if current == UInt8(ascii: ".") {
      position += 1
      kind = .real
      guard digits() > 0 else { throw malformed }
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      position += 1
      kind = .real
      hasExponent = true
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      guard digits() > 0 else { throw malformed }
    }
    if rules.readsReals { kind = .real }
    if rules.isStrict, !isInRange(text[start..<position], kind, hasExponent: hasExponent) {
      throw .numberOutOfRange(position: start)
    }
    note(kind, start, position)
  }

  /// Returns whether a number has finite 64 bits.
  private func isInRange(_ digits: Slice<UnsafeRawBufferPointer>, _ kind: JSONIndex.Kind, hasExponent: Bool) -> Bool {
    if kind == .integer { return digits.count <= 18 || Int64(String(decoding: digits, as: UTF8.self)) != nil }
    // The largest number has 309 digits before its point.
    guard hasExponent || digits.count > 300 else { return true }
    return Double(String(decoding: digits, as: UTF8.self))?.isFinite == true
  }

  private var current: UInt8? { position < text.count ? text[position] : nil }

  /// Steps over digits and returns how many there are.
  private mutating func digits() -> Int {
    let start = position
    while let byte = current, byte &- UInt8(ascii: "0") <= 9 { position += 1 }
    return position - start
  }
}
