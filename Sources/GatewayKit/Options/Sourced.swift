/// The parsed value of a flag with its source as the user wrote it, for errors about several flags.
package struct Sourced<Value: Sendable>: Sendable {
  package let value: Value
  package let source: String

  package init(value: Value, source: String) {
    self.value = value
    self.source = source
  }
}

extension Reading {
  /// A reading of the same values with their sources.
  package var sourced: Reading<Sourced<Value>> {
    Reading<Sourced<Value>> { [read] given, name in Sourced(value: try read(given, name), source: given.source) }
  }
}
