/// Reads one object of JSON5 whose members are scalars or arrays of them, and knows where each stands.
///
/// JSON5 is JSON with comments, trailing commas, names without quotes, strings in single quotes and a few more forms of
/// numbers; see <https://spec.json5.org>.
struct JSON5Reader {
  /// A string, a number or a boolean as the text of a flag's value.
  struct Scalar {
    let text: String
    let place: TextPlace
  }

  /// What is wrong, and where.
  struct Problem: Error {
    let place: TextPlace
    let reason: String
  }

  private let scalars: [Unicode.Scalar]
  private var index = 0
  private(set) var place = TextPlace()

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  /// The members of the object that the text is.
  mutating func entries() throws(Problem) -> [ConfigurationFile.Entry] {
    try skipSpace()
    let start = place
    guard take("{") else { throw problem("expected one object, which begins with {") }
    var entries: [ConfigurationFile.Entry] = []
    // Compared by bytes, as whoever reads the flags does.
    var places: [[UInt8]: TextPlace] = [:]
    while true {
      try skipSpace()
      if take("}") { break }
      guard !isAtEnd else { throw problem("the object that begins at \(start) is not closed with }") }
      let entry = try entry()
      if let first = places.updateValue(entry.place, forKey: Array(entry.key.utf8)) {
        throw Problem(place: entry.place, reason: "'\(entry.key)' stands at \(first) already")
      }
      entries.append(entry)
      try skipSpace()
      if take(",") { continue }
      guard isAtEnd || peek == "}" else { throw problem("expected , or } behind the value of '\(entry.key)'") }
    }
    try skipSpace()
    guard isAtEnd else { throw problem("nothing may follow the object") }
    return entries
  }

  private mutating func entry() throws(Problem) -> ConfigurationFile.Entry {
    let start = place
    let key = try key()
    try skipSpace()
    guard take(":") else { throw problem("expected : behind '\(key)'") }
    try skipSpace()
    guard take("[") else {
      return ConfigurationFile.Entry(key: key, place: start, values: [try scalar(of: key)], isArray: false)
    }
    var values: [Scalar] = []
    while true {
      try skipSpace()
      if take("]") { break }
      guard !isAtEnd else { throw problem("the array of '\(key)' is not closed with ]") }
      values.append(try scalar(of: key))
      try skipSpace()
      if take(",") { continue }
      guard isAtEnd || peek == "]" else { throw problem("expected , or ] in the array of '\(key)'") }
    }
    return ConfigurationFile.Entry(key: key, place: start, values: values, isArray: true)
  }

  private mutating func key() throws(Problem) -> String {
    if peek == "\"" || peek == "'" { return try string() }
    let word = word()
    guard !word.isEmpty else { throw problem("expected a key, which is a flag's name in quotes") }
    guard peek != "-" else { throw problem("a key with - in it needs quotes, as \"refresh-timeout\"") }
    return word
  }

  private mutating func scalar(of key: String) throws(Problem) -> Scalar {
    let start = place
    switch peek {
    case "\"", "'": return Scalar(text: try string(), place: start)
    case "{": throw problem("'\(key)': an object is no value; " + Self.expected)
    case "[": throw problem("'\(key)': an array in an array is no value; " + Self.expected)
    case let first? where first == "+" || first == "-" || first == "." || ("0"..."9").contains(first):
      return Scalar(text: try number(), place: start)
    default: break
    }
    switch word() {
    case "true": return Scalar(text: "true", place: start)
    case "false": return Scalar(text: "false", place: start)
    case "null": throw Problem(place: start, reason: "'\(key)': null is no value; leave the key out")
    case "": throw Problem(place: start, reason: "'\(key)' has no value; " + Self.expected)
    case let word: throw Problem(place: start, reason: "'\(key)': \(word) is no value; text stands in quotes")
    }
  }

  private static let expected = "expected text in quotes, a number, true, false, or an array of them"
}

// MARK: - The text, letter by letter

extension JSON5Reader {
  var isAtEnd: Bool { index == scalars.count }

  var peek: Unicode.Scalar? { isAtEnd ? nil : scalars[index] }

  func problem(_ reason: String) -> Problem {
    Problem(place: place, reason: isAtEnd ? "the file ends here; \(reason)" : reason)
  }

  /// The next letter; nil at the end.
  mutating func next() -> Unicode.Scalar? {
    guard let scalar = peek else { return nil }
    index += 1
    // CR LF is one line's end.
    if Self.endsLine(scalar) && !(scalar == "\r" && peek == "\n") {
      place.line += 1
      place.column = 1
    } else if scalar != "\u{FEFF}" || index > 1 {
      place.column += 1
    }
    return scalar
  }

  /// Whether the next letter is this one; it is taken then.
  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    _ = next()
    return true
  }

  static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
  }

  /// White space and comments.
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

  /// A name without quotes, which may be empty.
  private mutating func word() -> String {
    var word = String.UnicodeScalarView()
    while let scalar = peek, scalar == "_" || scalar == "$" || scalar.properties.isIDContinue {
      word.append(scalar)
      _ = next()
    }
    return String(word)
  }
}
