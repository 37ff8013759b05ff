// Search for text byte by byte. Swift's own search compares characters: it misses a secret that is followed by a
// combining accent, and finds a name in another spelling.

extension StringProtocol {
  /// Returns the places of `text` in order, without overlaps; none if it is empty.
  package func ranges(bytesOf text: some StringProtocol) -> [Range<String.Index>] where Index == String.Index {
    var ranges: [Range<String.Index>] = []
    while let range = firstRange(bytesOf: text, from: ranges.last?.upperBound ?? startIndex) { ranges.append(range) }
    return ranges
  }

  /// Returns the first place of `text` at or behind `start`; nil if there is none, or `text` is empty.
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

  /// Returns whether `text` occurs anywhere; true if it is empty.
  package func contains(bytesOf text: some StringProtocol) -> Bool where Index == String.Index {
    text.isEmpty || firstRange(bytesOf: text) != nil
  }

  /// Returns a copy with `replacement` in every place of `text`.
  package func replacing(bytesOf text: some StringProtocol, with replacement: String) -> String
  where Index == String.Index {
    split(bytesOf: text).joined(separator: replacement)
  }

  /// Returns the parts before, between and behind the places of `text`, including empty parts.
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
