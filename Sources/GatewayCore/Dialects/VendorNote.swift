/// A message of a vendor to itself on the other nodes of its gateway, e.g. the URL of a channel that has changed.
package struct VendorNote: Hashable, Sendable {
  /// The name of the table or cache that it is about, e.g. of its rooms.
  package let topic: String
  package let text: String

  package init(_ topic: String, _ text: String) {
    self.topic = topic
    self.text = text
  }
}
