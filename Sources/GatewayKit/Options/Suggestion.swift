/// Suggestions for an unknown name: for `prt` it is `port`.
package enum Suggestion {
  /// The maximum length of a word. Longer words are no typing errors, and the comparison takes time in the square of
  /// it.
  private static let lengthMax = 64
  private static let countMax = 3

  /// Returns up to three names that `word` may have meant, the likeliest first. These are the names with at most one
  /// typing error for each three letters; if there are none, the names that contain the word.
  ///
  /// - Parameters:
  ///   - word: The unknown name.
  ///   - names: The known names.
  ///   - limit: The maximum number of typing errors, in which case containing names are not suggested; nil for the
  ///     default.
  package static func near(_ word: String, among names: some Sequence<String>, slips limit: Int? = nil) -> [String] {
    let letters = folded(word)
    guard (2...lengthMax).contains(letters.count) else { return [] }
    let slipsMax = min(letters.count / 3, limit ?? .max)
    let mistyped = names.compactMap { name -> (name: String, slips: Int)? in
      let slips = slips(from: letters, to: folded(name))
      return slips <= slipsMax ? (name, slips) : nil
    }
    let parts = names.filter { name in
      guard limit == nil else { return false }
      let name = folded(name)
      return letters.count > 2 && name.count > letters.count
        && (0...(name.count - letters.count)).contains { name[$0...].starts(with: letters) }
    }
    let likeliest =
      mistyped.isEmpty
      ? parts.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
      : mistyped.sorted { ($0.slips, $0.name) < ($1.slips, $1.name) }.map(\.name)
    return Array(likeliest.prefix(countMax))
  }

  /// Returns `; did you mean --port?`, or an empty text if there are no names.
  package static func question(_ names: [String]) -> String {
    names.isEmpty ? "" : "; did you mean \(names.joined(separator: " or "))?"
  }

  /// Returns the word in lower case, with `-` for `_`.
  private static func folded(_ word: String) -> [UInt8] {
    word.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "_"): UInt8(ascii: "-")
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
      default: byte
      }
    }
  }

  /// Returns the number of typing errors: letters left out, added, changed, or swapped with their neighbour (the
  /// optimal string alignment distance). Only three rows of its table are kept.
  private static func slips(from one: [UInt8], to other: [UInt8]) -> Int {
    guard other.count <= lengthMax else { return .max }
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (i, a) in one.enumerated() {
      var row = [i + 1]
      for (j, b) in other.enumerated() {
        var least = min(last[j] + (a == b ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a == other[j - 1], one[i - 1] == b { least = min(least, beforeLast[j - 1] + 1) }
        row.append(least)
      }
      (beforeLast, last) = (last, row)
    }
    return last[other.count]
  }
}
