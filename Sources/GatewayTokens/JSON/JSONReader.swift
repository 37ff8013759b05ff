/// Reads one JSON text (RFC 8259), known to be UTF-8, into a flat list of nodes.
struct JSONReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let depthMax: Int
  private var position = 0
  private var nodes: [JSONNode] = []

  init(_ bytes: UnsafeBufferPointer<UInt8>, depthMax: Int) {
    self.bytes = bytes
    self.depthMax = depthMax
    // Tokens and messages have a value for about ten bytes or more; a guess too low costs one more allocation.
    nodes.reserveCapacity(min(bytes.count / 10 + 4, 64))
  }

  /// The nodes of the text; the first is the whole.
  mutating func read() throws(JSONError) -> [JSONNode] {
    skipSpace()
    guard let first = byte, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { throw unexpected }
    try readValue(depth: 1)
    skipSpace()
    guard position == bytes.count else { throw unexpected }
    return nodes
  }

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var unexpected: JSONError { .malformed(position: position) }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0a, 0x0d, 0x09: position += 1
      default: return
      }
    }
  }

  /// Steps over `expected` or throws.
  private mutating func take(_ expected: UInt8) throws(JSONError) {
    guard byte == expected else { throw unexpected }
    position += 1
  }

  /// Reads the value that begins here; a container is the `depth`-th around what is in it.
  private mutating func readValue(depth: Int) throws(JSONError) {
    guard let byte else { throw unexpected }
    switch byte {
    case UInt8(ascii: "\""): try readString()
    case UInt8(ascii: "{"): try readObject(depth: depth)
    case UInt8(ascii: "["): try readArray(depth: depth)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
    case UInt8(ascii: "t"): try readWord("true", .yes)
    case UInt8(ascii: "f"): try readWord("false", .no)
    case UInt8(ascii: "n"): try readWord("null", .null)
    default: throw unexpected
    }
  }

  private mutating func append(_ kind: JSONNode.Kind, from start: Int, hasEscapes: Bool = false) {
    nodes.append(
      JSONNode(
        kind: kind, hasEscapes: hasEscapes, start: UInt32(start), end: UInt32(position), next: UInt32(nodes.count + 1)))
  }

  private mutating func readWord(_ word: StaticString, _ kind: JSONNode.Kind) throws(JSONError) {
    let start = position
    for index in 0..<word.utf8CodeUnitCount { try take(word.utf8Start[index]) }
    append(kind, from: start)
  }

  // MARK: - Containers

  private mutating func readObject(depth: Int) throws(JSONError) {
    let node = try open(.object, depth)
    skipSpace()
    if byte == UInt8(ascii: "}") { return close(node, count: 0) }
    var count = 0
    while true {
      skipSpace()
      guard byte == UInt8(ascii: "\"") else { throw unexpected }
      try readString()
      skipSpace()
      try take(UInt8(ascii: ":"))
      skipSpace()
      try readValue(depth: depth + 1)
      count += 1
      skipSpace()
      if byte == UInt8(ascii: "}") { break }
      try take(UInt8(ascii: ","))
    }
    try JSONNames.checkUnique(in: node, count: count, nodes, bytes)
    close(node, count: count)
  }

  private mutating func readArray(depth: Int) throws(JSONError) {
    let node = try open(.array, depth)
    skipSpace()
    if byte == UInt8(ascii: "]") { return close(node, count: 0) }
    var count = 0
    while true {
      skipSpace()
      try readValue(depth: depth + 1)
      count += 1
      skipSpace()
      if byte == UInt8(ascii: "]") { break }
      try take(UInt8(ascii: ","))
    }
    close(node, count: count)
  }

  /// Steps over an opening bracket; the index of the container's node.
  private mutating func open(_ kind: JSONNode.Kind, _ depth: Int) throws(JSONError) -> Int {
    guard depth <= depthMax else { throw .tooDeep(limit: depthMax) }
    append(kind, from: position)
    position += 1
    return nodes.count - 1
  }

  private mutating func close(_ node: Int, count: Int) {
    position += 1
    nodes[node].end = UInt32(position)
    nodes[node].count = UInt32(count)
    nodes[node].next = UInt32(nodes.count)
  }

  // MARK: - Strings

  private mutating func readString() throws(JSONError) {
    position += 1
    let start = position
    var hasEscapes = false
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        append(.string, from: start, hasEscapes: hasEscapes)
        position += 1
        return
      }
      guard byte >= 0x20 else { throw unexpected }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        try skipEscape()
      } else {
        position += 1
      }
    }
    throw unexpected
  }

  private mutating func skipEscape() throws(JSONError) {
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      position += 1
      let unit = try readHex()
      switch unit {
      case 0, 0xdc00...0xdfff: throw unexpected
      case 0xd800...0xdbff:
        // Half of a pair: the other half must follow (RFC 8259 section 7).
        try take(UInt8(ascii: "\\"))
        try take(UInt8(ascii: "u"))
        guard (0xdc00...0xdfff).contains(try readHex()) else { throw unexpected }
      default: break
      }
    default: throw unexpected
    }
  }

  private mutating func readHex() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = byte.flatMap(JSONText.hexValue) else { throw unexpected }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  // MARK: - Numbers

  private mutating func readNumber() throws(JSONError) {
    let start = position
    if byte == UInt8(ascii: "-") { position += 1 }
    if byte == UInt8(ascii: "0") {
      position += 1
    } else {
      try skipDigits()
    }
    var isReal = false
    if byte == UInt8(ascii: ".") {
      isReal = true
      position += 1
      try skipDigits()
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      isReal = true
      position += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
    let text = UnsafeBufferPointer(rebasing: bytes[start..<position])
    let isInRange = isReal ? JSONText.real(text) != nil : JSONText.integer(text) != nil
    guard isInRange else { throw .numberOutOfRange(position: start) }
    append(isReal ? .real : .integer, from: start)
  }

  private mutating func skipDigits() throws(JSONError) {
    let start = position
    while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw unexpected }
  }
}
