/// The name a client gives one of its messages, given back in the answer.
package struct RequestID: Hashable, Sendable {
  /// The longest accepted name, in UTF-8 bytes.
  package static let lengthMax = 64

  package let rawValue: String

  package init(_ rawValue: String) {
    self.rawValue = rawValue
  }
}
