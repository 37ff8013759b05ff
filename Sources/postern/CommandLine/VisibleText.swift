/// Escaped text for a terminal or a log, since a stranger may have chosen parts of it, e.g. a user's name.
///
/// All but graphic characters are escaped as in JSON (RFC 8259 section 7), so that the text moves no cursor and starts no
/// line.
enum VisibleText {
  /// Escapes the text, except the ASCII characters in `kept`.
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

  /// Appends the character or its escape.
  static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    if isGraphic(scalar) { text.unicodeScalars.append(scalar) } else { text += escaped(scalar) }
  }

  /// Returns whether the character is graphic: no control character, no change of direction, no line separator.
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
