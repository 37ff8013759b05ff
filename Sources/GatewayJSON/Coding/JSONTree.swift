/// A value before it is written as JSON text. Containers may be filled in any order, so nothing is written before everything is
/// there.
enum JSONTree {
  /// Text, a number or a word, in its written form.
  case literal(String)
  case string(String)
  case array(JSONTreeElements)
  case object(JSONTreeMembers)
  /// An encoder that was handed out, which holds its value later.
  case later(JSONValueEncoder)
}

extension JSONTree {
  init(_ value: Bool) { self = .literal(value ? "true" : "false") }

  /// Converts a number.
  /// - Throws: `EncodingError` for a number that is not finite, which JSON cannot express.
  init(_ value: Double, at path: JSONCodingPath?, _ key: (any CodingKey)? = nil) throws {
    guard value.isFinite else {
      let keys = (path?.keys ?? []) + (key.map { [$0] } ?? [])
      throw EncodingError.invalidValue(
        value, .init(codingPath: keys, debugDescription: "JSON has no number for \(value)"))
    }
    self = .literal(Int64(exactly: value).map { String($0) } ?? "\(value)")
  }
}

/// The elements of an array that an encoder fills.
final class JSONTreeElements {
  var values: [JSONTree] = []
}

/// The members of an object that an encoder fills.
final class JSONTreeMembers {
  private(set) var values: [(name: String, value: JSONTree)] = []
  /// Whether more than one container fills it; a later one may then replace a member of an earlier one.
  var mayRepeat = false

  func add(_ name: String, _ value: JSONTree) {
    if mayRepeat, let index = values.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
      values[index].value = value
    } else {
      values.append((name, value))
    }
  }
}
