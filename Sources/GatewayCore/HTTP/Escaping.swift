/// How text is written where some characters mean something else: `<` as `&lt;` in a page, for instance.
///
/// Goes by scalars: with an accent behind it a quotation mark is another character to Swift, and ends the attribute of a
/// page all the same; and a line feed behind a carriage return is one character with it.
package struct Escaping: Sendable {
  private let words: [Unicode.Scalar: String]

  /// In the content of a page of HTML or a picture of SVG, and in their quoted attributes.
  package static let markup = Escaping(words: ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"])
  /// In the value of a label of Prometheus' text format.
  package static let label = Escaping(words: ["\\": #"\\"#, "\"": #"\""#, "\n": #"\n"#])

  package func callAsFunction(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { words[$0] != nil }) else { return text }
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let word = words[scalar] { escaped += word.unicodeScalars } else { escaped.append(scalar) }
    }
    return String(escaped)
  }
}
