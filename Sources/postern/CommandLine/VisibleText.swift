/// Text that may come from strangers, on its way to a terminal or a log.
///
/// A character that is not graphic is escaped as in JSON (RFC 8259 section 7), so that it moves no cursor and makes no line
/// of its own.
enum VisibleText {
  /// The text with its escapes, but for the characters of ASCII in `kept`.
  static func escaping(_ text: String, keeping kept: String = "") -> String {
    let kept = Array(kept.utf8)
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || kept.contains($0) }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar.isASCII, kept.contains(UInt8(truncatingIfNeeded: scalar.value)) {
        result.unicodeScalars.append(scalar)
      } else {
        append(scalar, to: &result)
      }
    }
    return result
  }

  /// Appends the character, or its escape.
  static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    if isGraphic(scalar) { text.unicodeScalars.append(scalar) } else { text += escaped(scalar) }
  }

  /// Whether a terminal shows it, and nothing but it: no control, no change of direction, no line of its own.
  private static func isGraphic(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
    default: true
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}
