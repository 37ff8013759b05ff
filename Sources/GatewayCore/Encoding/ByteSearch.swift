// Text looked for in text, byte by byte. Swift's own search compares what a reader sees: it does not find a secret behind
// whose last letter an accent stands, and finds a name in another's spelling.

extension StringProtocol {
  /// Where `text` stands, from the first place on, without overlaps; nowhere if it is empty.
  package func ranges(bytesOf text: some StringProtocol) -> [Range<String.Index>] where Index == String.Index {
    let (own, wanted) = (utf8, Array(text.utf8))
    guard let first = wanted.first else { return [] }
    var ranges: [Range<String.Index>] = []
    var start = own.startIndex
    while let found = own[start...].firstIndex(of: first) {
      if own[found...].starts(with: wanted) {
        start = own.index(found, offsetBy: wanted.count)
        ranges.append(found..<start)
      } else {
        start = own.index(after: found)
      }
    }
    return ranges
  }

  /// Whether `text` stands in it anywhere.
  package func contains(bytesOf text: some StringProtocol) -> Bool where Index == String.Index {
    text.isEmpty || !ranges(bytesOf: text).isEmpty
  }

  /// The same with `replacement` wherever `text` stands.
  package func replacing(bytesOf text: some StringProtocol, with replacement: String) -> String
  where Index == String.Index {
    split(bytesOf: text).joined(separator: replacement)
  }

  /// The parts before, between and behind the places where `text` stands; empty ones too.
  package func split(bytesOf text: some StringProtocol) -> [String] where Index == String.Index {
    var parts: [String] = []
    var start = startIndex
    for range in ranges(bytesOf: text) {
      parts.append(String(decoding: utf8[start..<range.lowerBound], as: UTF8.self))
      start = range.upperBound
    }
    parts.append(String(decoding: utf8[start...], as: UTF8.self))
    return parts
  }
}
