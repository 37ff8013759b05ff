/// The way to a value in a tree of them, as a list from the inside out: `series`, in `result`, for instance. Made an array of
/// keys only for an error that names it.
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

/// A key that is no case of a type's own: the number of an array's element, for instance.
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

  /// Where a class keeps what is its parent's.
  static let parent = JSONPlainKey(stringValue: "super")
}

/// A dictionary whose keys are names of somebody's own, which are written as they are: storms by the names of their
/// clients' behaviours, for instance.
protocol JSONNamedValues {}

extension Dictionary: JSONNamedValues where Key == String {}
