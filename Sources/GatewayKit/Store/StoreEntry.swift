/// The number of the write that made a row. Versions rise with the commits of a store, so they give the order in which
/// rows were written.
package struct StoreVersion: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }

  /// The version of a row that does not exist.
  package static let absent = StoreVersion(0)

  package static func < (lhs: StoreVersion, rhs: StoreVersion) -> Bool {
    lhs.number < rhs.number
  }
}

/// A row as it was read, with its version, which a commit can check.
package struct StoreEntry: Sendable {
  package let path: StorePath
  package let version: StoreVersion
  private let value: any StoreValue

  package init(path: StorePath, version: StoreVersion, value: any StoreValue) {
    self.path = path
    self.version = version
    self.value = value
  }

  /// Returns the row's value. Throws if it has another type.
  package func value<Value: StoreValue>(as type: Value.Type) throws(StoreError) -> Value {
    guard let value = value as? Value else { throw .unavailable("a row of another type than \(type)") }
    return value
  }
}
