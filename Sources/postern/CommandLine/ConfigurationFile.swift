import Foundation

/// Flags in a file: one JSON object with comments (JSON5), keys the flags' names, values strings, numbers, booleans, or
/// arrays of them where a flag repeats.
enum ConfigurationFile {
  private static let sizeMax = 1 << 20

  /// The values of each key. Throws a ``UsageError`` that names the file and what is wrong.
  static func read(_ path: String) throws -> [(String, [String])] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw UsageError("--config", value: path, expected: "a file that can be read")
    }
    guard data.count <= sizeMax else { throw UsageError("\(path): larger than \(sizeMax) bytes") }
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    let object: [String: Entry]
    do {
      object = try decoder.decode([String: Entry].self, from: data)
    } catch {
      throw UsageError("\(path): not a JSON object of strings, numbers, booleans or arrays of them")
    }
    return object.sorted { $0.key < $1.key }.map { ($0.key, $0.value.texts) }
  }

  private struct Entry: Decodable {
    let texts: [String]

    init(from decoder: any Decoder) throws {
      if var list = try? decoder.unkeyedContainer() {
        var texts: [String] = []
        while !list.isAtEnd { texts += try list.decode(Entry.self).texts }
        self.texts = texts
        return
      }
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        texts = [text]
      } else if let flag = try? container.decode(Bool.self) {
        texts = [String(flag)]
      } else if let whole = try? container.decode(Int.self) {
        texts = [String(whole)]
      } else {
        texts = [String(try container.decode(Double.self))]
      }
    }
  }
}
