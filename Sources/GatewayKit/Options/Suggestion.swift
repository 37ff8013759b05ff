/// The names that somebody may have meant by one that is none: for `prt` that is `port`, for instance.
package enum Suggestion {
  /// Longer ones are nobody's slip, and comparing takes time in the square of the length.
  private static let lengthMax = 64
  private static let countMax = 3

  /// The names that `word` may be meant as, the likeliest first, three at most: those it is mistyped from, by up to one
  /// slip for three letters, else those it is a part of.
  ///
  /// - Parameters:
  ///   - word: What was said.
  ///   - names: What there is.
  ///   - limit: How many slips it may be at the most, where a part is not meant; nil for the usual.
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

  /// `; did you mean --port?`, or nothing where nothing is near.
  package static func question(_ names: [String]) -> String {
    names.isEmpty ? "" : "; did you mean \(names.joined(separator: " or "))?"
  }

  /// Without regard to case, and `_` is `-`.
  private static func folded(_ word: String) -> [UInt8] {
    word.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "_"): UInt8(ascii: "-")
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
      default: byte
      }
    }
  }

  /// How many letters were left out, added, changed, or changed with their neighbour (the optimal string alignment
  /// distance). Only three rows of its table are kept.
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
