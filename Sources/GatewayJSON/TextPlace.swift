/// A place in a text: line and column, both counted from 1, e.g. `3:9`.
package struct TextPlace: Hashable, Sendable, CustomStringConvertible {
  package var line = 1
  /// The column in Unicode scalars, as editors count them.
  package var column = 1

  package init() {}

  package var description: String { "\(line):\(column)" }
}
