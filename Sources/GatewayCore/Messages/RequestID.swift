/// The id that a client gives one of its messages; the answer repeats it. Compared by its bytes, like ``Name``.
package struct RequestID: Hashable, Sendable {
  /// The longest accepted name, in UTF-8 bytes.
  package static let lengthMax = 64

  package let name: Name

  package init(_ rawValue: String) {
    name = Name(rawValue)
  }

  package var rawValue: String { name.text }
}
