package import GatewayJSON

/// An error in a description, with its place and what would be right.
///
/// The text has this form: `centrifugo.json:21:5 /hear/1/when/json: 'type' is no JSON pointer; a pointer as "/type", or
/// "" for the whole message`.
package struct DescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
  package let file: String
  package let place: TextPlace
  /// The JSON pointer (RFC 6901) to the wrong value; empty for the whole description.
  package let pointer: String
  package let reason: String

  package init(file: String, place: TextPlace, pointer: String, reason: String) {
    self.file = file
    self.place = place
    self.pointer = pointer
    self.reason = reason
  }

  package var description: String { "\(file):\(place) \(pointer.isEmpty ? "" : "\(pointer): ")\(reason)" }
}
