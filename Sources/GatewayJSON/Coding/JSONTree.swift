/// A value on its way to JSON text: `{"id":"ann"}` before it is written, for instance. Containers may be filled in any
/// order, so that nothing is text before all is there.
enum JSONTree {
  /// Text, a number or a word, as it is written.
  case literal(String)
  case string(String)
  case array(JSONTreeElements)
  case object(JSONTreeMembers)
  /// What an encoder that was handed out will have been given.
  case later(JSONValueEncoder)
}

extension JSONTree {
  init(_ value: Bool) { self = .literal(value ? "true" : "false") }

  /// - Throws: `EncodingError` for what is not finite, which JSON has no number for.
  init(_ value: Double, at path: JSONCodingPath?, _ key: (any CodingKey)? = nil) throws {
    guard value.isFinite else {
      let keys = (path?.keys ?? []) + (key.map { [$0] } ?? [])
      throw EncodingError.invalidValue(
        value, .init(codingPath: keys, debugDescription: "JSON has no number for \(value)"))
    }
    self = .literal(Int64(exactly: value).map { String($0) } ?? "\(value)")
  }
}

/// The elements of an array that an encoder fills: the counts of a histogram, for instance.
final class JSONTreeElements {
  var values: [JSONTree] = []
}

/// The members of an object that an encoder fills: a user's `id` and `name`, for instance.
final class JSONTreeMembers {
  private(set) var values: [(name: String, value: JSONTree)] = []
  /// Whether more than one container fills it, of which the later may say otherwise what the earlier has said.
  var mayRepeat = false

  func add(_ name: String, _ value: JSONTree) {
    if mayRepeat, let index = values.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
      values[index].value = value
    } else {
      values.append((name, value))
    }
  }
}
