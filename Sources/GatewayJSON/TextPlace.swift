/// A place in a text: line and column, the first being 1. `3:9`, for instance.
package struct TextPlace: Hashable, Sendable, CustomStringConvertible {
  package var line = 1
  /// In characters of Unicode (scalars), as editors count them.
  package var column = 1

  package init() {}

  package var description: String { "\(line):\(column)" }
}
