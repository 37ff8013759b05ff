/// A reader of one JSON5 object that a person wrote, e.g. a configuration file. It records the place of each value.
///
/// JSON5 is JSON with comments, trailing commas, names without quotes, strings in single quotes and a few more forms of
/// numbers; see <https://spec.json5.org>.
package struct JSON5Reader {
  /// A mistake in the text, with its place.
  package struct Problem: Error, Hashable {
    package let place: TextPlace
    package let reason: String

    package init(place: TextPlace, reason: String) {
      self.place = place
      self.reason = reason
    }
  }

  private let scalars: [Unicode.Scalar]
  private var index = 0
  private(set) var place = TextPlace()
  private var depth = 0

  /// The maximum number of levels that arrays and objects may nest.
  private static let depthMax = 64

  package init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  /// Reads the text, which must be one object.
  package mutating func object() throws(Problem) -> PlacedJSON {
    try skipSpace()
    guard peek == "{" else { throw problem("expected one object, which begins with {") }
    let start = place
    let object = PlacedJSON(kind: .object(try members()), place: start)
    try skipSpace()
    guard isAtEnd else { throw problem("nothing may follow the object") }
    return object
  }

  /// Reads the members of the object that begins here.
  private mutating func members() throws(Problem) -> [PlacedJSON.Member] {
    let start = place
    try descend()
    defer { depth -= 1 }
    var members: [PlacedJSON.Member] = []
    // Compared by bytes, as the readers of the members do.
    var places: [[UInt8]: TextPlace] = [:]
    while true {
      try skipSpace()
      if take("}") { return members }
      guard !isAtEnd else { throw problem("the object that begins at \(start) is not closed with }") }
      let member = try member()
      if let first = places.updateValue(member.place, forKey: Array(member.name.utf8)) {
        throw Problem(place: member.place, reason: "'\(member.name)' stands at \(first) already")
      }
      members.append(member)
      try skipSpace()
      if take(",") { continue }
      guard isAtEnd || peek == "}" else { throw problem("expected , or } behind the value of '\(member.name)'") }
    }
  }

  private mutating func member() throws(Problem) -> PlacedJSON.Member {
    let start = place
    let key = try key()
    try skipSpace()
    guard take(":") else { throw problem("expected : behind '\(key)'") }
    try skipSpace()
    return PlacedJSON.Member(name: key, place: start, value: try value(of: key))
  }

  /// Reads the elements of the array that begins here, which is the value of `key` or a part of it.
  private mutating func elements(of key: String) throws(Problem) -> [PlacedJSON] {
    try descend()
    defer { depth -= 1 }
    var values: [PlacedJSON] = []
    while true {
      try skipSpace()
      if take("]") { return values }
      guard !isAtEnd else { throw problem("the array of '\(key)' is not closed with ]") }
      values.append(try value(of: key))
      try skipSpace()
      if take(",") { continue }
      guard isAtEnd || peek == "]" else { throw problem("expected , or ] in the array of '\(key)'") }
    }
  }

  /// Steps over an opening bracket.
  private mutating func descend() throws(Problem) {
    guard depth < Self.depthMax else { throw problem("nested deeper than \(Self.depthMax) levels") }
    depth += 1
    _ = next()
  }

  private mutating func key() throws(Problem) -> String {
    if peek == "\"" || peek == "'" { return try string() }
    let word = word()
    guard !word.isEmpty else { throw problem("expected a key, which is a name in quotes") }
    guard peek != "-" else { throw problem("a key with - in it needs quotes, as \"refresh-timeout\"") }
    return word
  }

  private mutating func value(of key: String) throws(Problem) -> PlacedJSON {
    let start = place
    switch peek {
    case "\"", "'": return PlacedJSON(kind: .string(try string()), place: start)
    case "{": return PlacedJSON(kind: .object(try members()), place: start)
    case "[": return PlacedJSON(kind: .array(try elements(of: key)), place: start)
    case let first? where first == "+" || first == "-" || first == "." || ("0"..."9").contains(first):
      return PlacedJSON(kind: .number(try number()), place: start)
    default: break
    }
    switch word() {
    case "true": return PlacedJSON(kind: .bool(true), place: start)
    case "false": return PlacedJSON(kind: .bool(false), place: start)
    case "null": return PlacedJSON(kind: .null, place: start)
    case "":
      throw problem("'\(key)' has no value; expected text in quotes, a number, true, false, an array or an object")
    case let word: throw Problem(place: start, reason: "'\(key)': \(word) is no value; text stands in quotes")
    }
  }
}

// MARK: - The text, letter by letter

extension JSON5Reader {
  var isAtEnd: Bool { index == scalars.count }

  var peek: Unicode.Scalar? { isAtEnd ? nil : scalars[index] }

  func problem(_ reason: String) -> Problem {
    Problem(place: place, reason: isAtEnd ? "the file ends here; \(reason)" : reason)
  }

  /// Steps over the next character and returns it; nil at the end.
  mutating func next() -> Unicode.Scalar? {
    guard let scalar = peek else { return nil }
    index += 1
    // CR LF is one line ending.
    if Self.endsLine(scalar) && !(scalar == "\r" && peek == "\n") {
      place.line += 1
      place.column = 1
    } else if scalar != "\u{FEFF}" || index > 1 {
      place.column += 1
    }
    return scalar
  }

  /// Steps over the next character if it is `scalar`; returns whether it was.
  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    _ = next()
    return true
  }

  static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
  }

  /// Skips white space and comments.
  private mutating func skipSpace() throws(Problem) {
    while let scalar = peek {
      if scalar == "/" {
        try skipComment()
      } else if scalar.properties.isWhitespace || scalar == "\u{FEFF}" {
        _ = next()
      } else {
        return
      }
    }
  }

  private mutating func skipComment() throws(Problem) {
    let start = place
    _ = next()
    if take("/") {
      while let scalar = peek, !Self.endsLine(scalar) { _ = next() }
    } else if take("*") {
      while let scalar = next() {
        if scalar == "*", take("/") { return }
      }
      throw Problem(place: start, reason: "this comment is not closed with */")
    } else {
      throw Problem(place: start, reason: "expected a comment, // or /*")
    }
  }

  /// Reads a name without quotes, which may be empty.
  private mutating func word() -> String {
    var word = String.UnicodeScalarView()
    while let scalar = peek, scalar == "_" || scalar == "$" || scalar.properties.isIDContinue {
      word.append(scalar)
      _ = next()
    }
    return String(word)
  }
}
