/// The number of the write that a row is of. Versions rise with the commits of a store, so rows can be put in the order
/// of their writing: 7 is older than 9, for instance.
package struct StoreVersion: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }

  /// The version of a row that is not there.
  package static let absent = StoreVersion(0)

  package static func < (lhs: StoreVersion, rhs: StoreVersion) -> Bool {
    lhs.number < rhs.number
  }
}

/// A row as it was read, with its version: a commit that writes it anew checks that it is still of that, for instance.
package struct StoreEntry: Sendable {
  package let path: StorePath
  package let version: StoreVersion
  private let value: any StoreValue

  package init(path: StorePath, version: StoreVersion, value: any StoreValue) {
    self.path = path
    self.version = version
    self.value = value
  }

  /// What the row holds; throws if the table holds something else.
  package func value<Value: StoreValue>(as type: Value.Type) throws(StoreError) -> Value {
    guard let value = value as? Value else { throw .unavailable("a row of another type than \(type)") }
    return value
  }
}
