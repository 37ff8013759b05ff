import GatewayKit

/// Flags in a file: one JSON object with comments (JSON5), keys the flags' names, values strings, numbers, booleans, or
/// arrays of them where a flag repeats.
enum ConfigurationFile {
  /// A key with its values, and where they stand.
  struct Entry {
    let key: String
    let place: TextPlace
    let values: [JSON5Reader.Scalar]
    let isArray: Bool
  }

  private static let sizeMax = 1 << 20

  /// The file's entries in their order. Throws a ``UsageError`` that names the file, the line and the column.
  ///
  /// - Parameter source: The flag or variable that names the file.
  static func read(_ path: String, of source: String) throws -> [Entry] {
    let bytes = try InputFile.read(path, of: source, sizeMax: sizeMax)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("\(path):\(firstBadPlace(bytes)): not text in UTF-8")
    }
    do {
      var reader = JSON5Reader(text)
      return try reader.entries()
    } catch {
      throw UsageError("\(path):\(error.place): \(error.reason)")
    }
  }

  /// Where bytes cease to be UTF-8.
  private static func firstBadPlace(_ bytes: [UInt8]) -> TextPlace {
    var place = TextPlace()
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      guard String(validating: line, as: UTF8.self) != nil else {
        let good = String(decoding: line, as: UTF8.self).unicodeScalars.prefix { $0 != "\u{FFFD}" }
        place.column += good.count
        return place
      }
      place.line += 1
    }
    return place
  }
}

/// A place in a text: line and column, the first being 1.
struct TextPlace: CustomStringConvertible {
  var line = 1
  /// In characters of Unicode (scalars), as editors count them.
  var column = 1

  var description: String { "\(line):\(column)" }
}
