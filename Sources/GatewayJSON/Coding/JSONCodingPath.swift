/// The path to a value in a tree, as a list from the inside out. It becomes an array of keys only for an error that names it.
final class JSONCodingPath: Sendable {
  private let parent: JSONCodingPath?
  private let key: any CodingKey

  init(_ key: any CodingKey, in parent: JSONCodingPath?) {
    self.key = key
    self.parent = parent
  }

  var keys: [any CodingKey] {
    var keys: [any CodingKey] = []
    var step: JSONCodingPath? = self
    while let current = step {
      keys.append(current.key)
      step = current.parent
    }
    return keys.reversed()
  }
}

/// A key that is no case of a type's own, e.g. the index of an array's element.
struct JSONPlainKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  /// The key under which a class keeps its parent's members.
  static let parent = JSONPlainKey(stringValue: "super")
}

/// A dictionary whose keys are freely chosen names, which are written unchanged, e.g. storms by the names of their clients'
/// behaviours.
protocol JSONNamedValues {}

extension Dictionary: JSONNamedValues where Key == String {}
