/// The content of a row of a store: a revoked token, for instance. A store in memory keeps the value itself; others
/// write it as JSON.
package protocol StoreValue: Codable, Sendable {}

/// A table of a store: rows of one type, each under a key of several parts; the members of calls under the call and the
/// user, for instance. Tables need no making: one that nobody has written to is empty.
package struct StoreTable<Value: StoreValue>: Sendable {
  private let name: String

  /// The table of that name; `vendor.rows`, so that no two vendors share one.
  package init(_ name: String) {
    self.name = name
  }

  /// The key of one row.
  package func key(_ parts: String...) -> StoreKey {
    StoreKey(path: StorePath(name, parts), type: Value.self)
  }

  /// The rows whose keys begin with these parts.
  package func range(_ parts: String...) -> StoreRange {
    StoreRange(beginning: StorePath(name, parts), type: Value.self)
  }
}

/// The place of a row, and of which type it is: in a table of users the row of ann, for instance.
package struct StoreKey: Sendable {
  package let path: StorePath
  package let type: any StoreValue.Type

  package init(path: StorePath, type: any StoreValue.Type) {
    self.path = path
    self.type = type
  }
}

/// The rows of one table whose keys begin alike: all members of one call, for instance.
package struct StoreRange: Sendable {
  /// Nothing that is less is in it.
  package private(set) var lower: StorePath
  /// Neither this nor anything after it is in it.
  package private(set) var upper: StorePath
  package let type: any StoreValue.Type
  /// Whether the last row comes first.
  package private(set) var isBackwards = false

  init(beginning path: StorePath, type: any StoreValue.Type) {
    lower = path
    upper = path.end
    self.type = type
  }

  /// What of it stands behind that row: the next page, where it was the last of one.
  package func after(_ path: StorePath) -> StoreRange {
    var rest = self
    if isBackwards {
      rest.upper = min(upper, path)
    } else {
      rest.lower = max(lower, StorePath(bytes: path.bytes + [0]))
    }
    return rest
  }

  /// The same rows, the last first.
  package var backwards: StoreRange {
    var range = self
    range.isBackwards.toggle()
    return range
  }
}
