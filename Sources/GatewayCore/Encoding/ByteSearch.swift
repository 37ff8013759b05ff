// Text looked for in text, byte by byte. Swift's own search compares what a reader sees: it does not find a secret behind
// whose last letter an accent stands, and finds a name in another's spelling.

extension StringProtocol {
  /// Where `text` stands, from the first place on, without overlaps; nowhere if it is empty.
  package func ranges(bytesOf text: some StringProtocol) -> [Range<String.Index>] where Index == String.Index {
    var ranges: [Range<String.Index>] = []
    while let range = firstRange(bytesOf: text, from: ranges.last?.upperBound ?? startIndex) { ranges.append(range) }
    return ranges
  }

  /// Where `text` stands first at or behind `start`; nil if it does not, or is empty.
  package func firstRange(bytesOf text: some StringProtocol, from start: String.Index? = nil) -> Range<String.Index>?
  where Index == String.Index {
    let own = utf8
    guard let first = text.utf8.first else { return nil }
    var start = start ?? startIndex
    while let found = own[start...].firstIndex(of: first) {
      if own[found...].starts(with: text.utf8) { return found..<own.index(found, offsetBy: text.utf8.count) }
      start = own.index(after: found)
    }
    return nil
  }

  /// Whether `text` stands in it anywhere.
  package func contains(bytesOf text: some StringProtocol) -> Bool where Index == String.Index {
    text.isEmpty || firstRange(bytesOf: text) != nil
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
