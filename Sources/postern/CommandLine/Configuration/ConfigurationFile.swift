import GatewayJSON
import GatewayKit

/// A configuration file: one JSON object with comments (JSON5), e.g. `{"port": 8080}`.
///
/// The keys are the flags' names. The values are strings, numbers, booleans, or arrays of them for flags that repeat.
enum ConfigurationFile {
  /// A key with its values and their places.
  struct Entry {
    let key: String
    let place: TextPlace
    let values: [Scalar]
    let isArray: Bool
  }

  /// A string, a number or a boolean as the text of a flag's value, e.g. `true` for a switch.
  struct Scalar {
    let text: String
    let place: TextPlace
  }

  private static let sizeMax = 1 << 20

  /// Reads the file's entries in order. Throws a ``UsageError`` that names the file, the line and the column.
  ///
  /// - Parameter source: The flag or variable that names the file.
  static func read(_ path: String, of source: String) throws -> [Entry] {
    let bytes = try InputFile.readLocal(path, of: source, sizeMax: sizeMax)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("\(path):\(firstBadPlace(bytes)): not text in UTF-8")
    }
    do {
      var reader = JSON5Reader(text)
      return try entries(of: try reader.object())
    } catch {
      throw UsageError("\(path):\(error.place): \(error.reason)")
    }
  }

  private static func entries(of object: PlacedJSON) throws(JSON5Reader.Problem) -> [Entry] {
    guard case .object(let members) = object.kind else { return [] }
    var entries: [Entry] = []
    for member in members {
      var values: [Scalar] = []
      if case .array(let elements) = member.value.kind {
        for element in elements { values.append(try scalar(element, of: member.name)) }
        entries.append(Entry(key: member.name, place: member.place, values: values, isArray: true))
      } else {
        values.append(try scalar(member.value, of: member.name))
        entries.append(Entry(key: member.name, place: member.place, values: values, isArray: false))
      }
    }
    return entries
  }

  private static func scalar(_ value: PlacedJSON, of key: String) throws(JSON5Reader.Problem) -> Scalar {
    func wrong(_ reason: String) -> JSON5Reader.Problem {
      JSON5Reader.Problem(place: value.place, reason: "'\(key)': \(reason)")
    }
    let expected = "expected text in quotes, a number, true, false, or an array of them"
    return switch value.kind {
    case .string(let text), .number(let text): Scalar(text: text, place: value.place)
    case .bool(let flag): Scalar(text: "\(flag)", place: value.place)
    case .null: throw wrong("null is no value; leave the key out")
    case .object: throw wrong("an object is no value; " + expected)
    case .array: throw wrong("an array in an array is no value; " + expected)
    }
  }

  /// Returns the place of the first byte that is not UTF-8.
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
