/// The content of a row of a store. A store in memory keeps the value itself; others write it as JSON.
package protocol StoreValue: Codable, Sendable {}

/// A table of a store: rows of one type, each under a key of several parts, e.g. a call and a user. Tables need no
/// creation: an unused table is empty.
package struct StoreTable<Value: StoreValue>: Sendable {
  private let name: String

  /// Creates the table of that name: `vendor.rows`, so that no two vendors share one.
  package init(_ name: String) {
    self.name = name
  }

  /// Returns the key of one row.
  package func key(_ parts: String...) -> StoreKey {
    StoreKey(path: StorePath(name, parts), type: Value.self)
  }

  /// Returns the range of rows whose keys begin with these parts.
  package func range(_ parts: String...) -> StoreRange {
    StoreRange(beginning: StorePath(name, parts), type: Value.self)
  }
}

/// The place and the type of a row.
package struct StoreKey: Sendable {
  package let path: StorePath
  package let type: any StoreValue.Type

  package init(path: StorePath, type: any StoreValue.Type) {
    self.path = path
    self.type = type
  }
}

/// A range of rows of one table whose keys begin alike, e.g. all members of one call.
package struct StoreRange: Sendable {
  /// The inclusive lower bound.
  package private(set) var lower: StorePath
  /// The exclusive upper bound.
  package private(set) var upper: StorePath
  package let type: any StoreValue.Type
  /// Whether the last row comes first.
  package private(set) var isBackwards = false

  init(beginning path: StorePath, type: any StoreValue.Type) {
    lower = path
    upper = path.end
    self.type = type
  }

  /// Returns the rest of the range behind that row, e.g. the next page after the last row of one.
  package func after(_ path: StorePath) -> StoreRange {
    var rest = self
    if isBackwards {
      rest.upper = min(upper, path)
    } else {
      rest.lower = max(lower, StorePath(bytes: path.bytes + [0]))
    }
    return rest
  }

  /// The same rows in reverse order.
  package var backwards: StoreRange {
    var range = self
    range.isBackwards.toggle()
    return range
  }
}
