/// A command line, an environment or a file that asks for what cannot be: `--port x`, for instance. Exit status 2.
package struct UsageError: Error, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }

  /// A key with a wrong value, and what would be right.
  package init(_ source: String, value: String, expected: String) {
    description = "\(source): '\(value)' is wrong; expected \(expected)"
  }
}
