/// An escaping of characters that have a special meaning in a format, e.g. `&` as `&amp;` in HTML.
///
/// It works on Unicode scalars. To Swift, a quotation mark with a combining accent is another character, yet it ends an
/// attribute in HTML. A carriage return with a line feed is one character.
package struct Escaping: Sendable {
  private let words: [Unicode.Scalar: String]
  /// One bit for each ASCII character that has an escape.
  private let mask: (low: UInt64, high: UInt64)

  /// Creates an escaping of ASCII characters.
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

  /// The escaping for the content and the quoted attributes of HTML and SVG.
  package static let markup = Escaping(words: ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"])
  /// The escaping for a label's value in Prometheus' text format.
  package static let label = Escaping(words: ["\\": #"\\"#, "\"": #"\""#, "\n": #"\n"#])

  package func callAsFunction(_ text: String) -> String {
    // A native Swift string always has contiguous bytes.
    guard text.utf8.withContiguousStorageIfAvailable({ $0.contains(where: isWord) }) ?? true else { return text }
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let word = words[scalar] { escaped += word.unicodeScalars } else { escaped.append(scalar) }
    }
    return String(escaped)
  }
}
