/// The writing of text where some characters mean something else: `<` as `&lt;` in a page, for instance.
///
/// Goes by scalars: with an accent behind it a quotation mark is another character to Swift, and ends the attribute of a
/// page all the same; and a line feed behind a carriage return is one character with it.
package struct Escaping: Sendable {
  private let words: [Unicode.Scalar: String]
  /// The bit of each character that is written as a word.
  private let mask: (low: UInt64, high: UInt64)

  /// Words for characters of ASCII.
  private init(words: [Unicode.Scalar: String]) {
    self.words = words
    mask = words.keys.reduce(into: (0, 0)) { mask, scalar in
      precondition(scalar.isASCII, "the bytes of no other character are alike")
      if scalar.value < 64 { mask.low |= 1 << scalar.value } else { mask.high |= 1 << (scalar.value - 64) }
    }
  }

  private func isWord(_ byte: UInt8) -> Bool {
    byte < 64 ? mask.low >> byte & 1 == 1 : byte < 128 && mask.high >> (byte - 64) & 1 == 1
  }

  /// In the content of a page of HTML or a picture of SVG, and in their quoted attributes.
  package static let markup = Escaping(words: ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"])
  /// In the value of a label of Prometheus' text format.
  package static let label = Escaping(words: ["\\": #"\\"#, "\"": #"\""#, "\n": #"\n"#])

  package func callAsFunction(_ text: String) -> String {
    // Any text of Swift's own is bytes in a row.
    guard text.utf8.withContiguousStorageIfAvailable({ $0.contains(where: isWord) }) ?? true else { return text }
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let word = words[scalar] { escaped += word.unicodeScalars } else { escaped.append(scalar) }
    }
    return String(escaped)
  }
}
