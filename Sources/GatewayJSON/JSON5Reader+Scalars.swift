// Strings and numbers of JSON5, sections 5 and 6 of its specification.

extension JSON5Reader {
  /// Reads a string in single or double quotes.
  mutating func string() throws(Problem) -> String {
    let start = place
    let quote = next()
    var text = String.UnicodeScalarView()
    while let scalar = peek {
      let here = place
      _ = next()
      if scalar == quote { return String(text) }
      if scalar == "\\" {
        if let escaped = try escaped(at: here) { text.append(escaped) }
      } else if scalar == "\n" || scalar == "\r" {
        break
      } else {
        text.append(scalar)
      }
    }
    throw Problem(place: start, reason: "the text that begins here does not end on its line")
  }

  /// Reads the character after a backslash and returns its meaning; nil for a line continuation.
  private mutating func escaped(at start: TextPlace) throws(Problem) -> Unicode.Scalar? {
    guard let scalar = next() else { throw problem("a text is not closed") }
    switch scalar {
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "v": return "\u{B}"
    case "0" where !(peek.map { ("0"..."9").contains($0) } ?? false): return "\0"
    case "0"..."9": throw Problem(place: start, reason: "\\\(scalar) means nothing in a text")
    case "x": return Unicode.Scalar(try hexadecimal(2, at: start))
    case "u": return try unicode(at: start)
    case "\r":
      _ = take("\n")
      return nil
    case _ where Self.endsLine(scalar): return nil
    default: return scalar
    }
  }

  /// Reads the digits of `\u00e9`, or of a pair of surrogates.
  private mutating func unicode(at start: TextPlace) throws(Problem) -> Unicode.Scalar {
    let unit = try hexadecimal(4, at: start)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard (0xD800...0xDBFF).contains(unit), take("\\"), take("u"),
      case let low = try hexadecimal(4, at: start), (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    else { throw Problem(place: start, reason: "half of a pair of surrogates is no character") }
    return scalar
  }

  private mutating func hexadecimal(_ digits: Int, at start: TextPlace) throws(Problem) -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<digits {
      guard let scalar = peek, let digit = Character(scalar).hexDigitValue, scalar.isASCII else {
        throw Problem(place: start, reason: "expected \(digits) hexadecimal digits in this escape")
      }
      number = number << 4 | UInt32(digit)
      _ = next()
    }
    return number
  }

  /// Reads a number as flags do: a whole number has no fraction, any other has a point.
  mutating func number() throws(Problem) -> String {
    let start = place
    var text = ""
    while let scalar = peek,
      scalar.isASCII
        && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "+-.".unicodeScalars.contains(scalar))
    {
      text.unicodeScalars.append(scalar)
      _ = next()
    }
    guard let number = Self.number(text) else {
      throw Problem(place: start, reason: "\(text) is no number; a duration or other text stands in quotes")
    }
    return number
  }

  private static func number(_ text: String) -> String? {
    let digits = text.first == "+" || text.first == "-" ? text.dropFirst() : text[...]
    guard let size = size(digits) else { return nil }
    // The least whole number has no positive one.
    if let whole = Int(text) { return String(whole) }
    // Every zero is the same, and has no sign.
    return text.first == "-" && size != "0" ? "-" + size : size
  }

  /// Reads a number without its sign.
  private static func size(_ digits: Substring) -> String? {
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
      let digits = digits.dropFirst(2)
      guard digits.utf8.allSatisfy(\.isHexadecimal) else { return nil }
      return UInt64(digits, radix: 16).map { String($0) }
    }
    // One sign is allowed; words and octal numbers are not numbers here.
    guard let first = digits.first, first == "." || first.isNumber,
      !(first == "0" && (digits.dropFirst().first?.isNumber ?? false))
    else { return nil }
    if let whole = Int(digits) { return String(whole) }
    guard let number = Double(digits), number.isFinite else { return nil }
    return Int(exactly: number).map(String.init) ?? String(number)
  }
}

extension UInt8 {
  fileprivate var isHexadecimal: Bool {
    (0x30...0x39).contains(self) || (0x41...0x46).contains(self & 0xdf)
  }
}
