/// An invalid command line, environment or configuration file. Exit status 2.
package struct UsageError: Error, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }

  /// Creates an error about a key with a wrong value.
  package init(_ source: String, value: String, expected: String) {
    description = "\(source): '\(value)' is wrong; expected \(expected)"
  }
}
