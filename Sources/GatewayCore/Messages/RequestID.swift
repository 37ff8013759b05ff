/// The name a client gives one of its messages, `7` for instance, given back in the answer; compared by its bytes, as
/// ``Name`` is.
package struct RequestID: Hashable, Sendable {
  /// The longest accepted name, in UTF-8 bytes.
  package static let lengthMax = 64

  package let name: Name

  package init(_ rawValue: String) {
    name = Name(rawValue)
  }

  package var rawValue: String { name.text }
}
