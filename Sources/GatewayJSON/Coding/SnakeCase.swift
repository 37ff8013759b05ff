/// The conversion of members' names with underscores and without.
enum SnakeCase {
  /// Converts `expireAfterS` to `expire_after_s`. A row of capitals is one word. Its last letter begins the next word if a
  /// small letter follows: `wsURLPath` becomes `ws_url_path`.
  static func snake(_ name: String) -> String {
    let letters = Array(name.unicodeScalars)
    func isCapital(_ index: Int) -> Bool { letters.indices.contains(index) && ("A"..."Z").contains(letters[index]) }
    var words = String.UnicodeScalarView()
    for (index, letter) in letters.enumerated() {
      let beginsWord =
        index > 0 && isCapital(index)
        && (!isCapital(index - 1) || (index + 1 < letters.count && !isCapital(index + 1)))
      if beginsWord { words.append("_") }
      words.append(isCapital(index) ? UnicodeScalar(UInt8(letter.value) + 32) : letter)
    }
    return String(words)
  }

  /// Converts `expire_after_s` to `expireAfterS`; underscores at either end stay.
  static func camel(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "_")) else { return name }
    let core = name.drop { $0 == "_" }
    let leading = name.prefix(name.count - core.count)
    let words = core.split(separator: "_")
    guard let first = words.first else { return name }
    let trailing = core.reversed().prefix { $0 == "_" }
    let rest = words.dropFirst().map { word in word.prefix(1).uppercased() + word.dropFirst() }
    return leading + first + rest.joined() + String(trailing)
  }
}
