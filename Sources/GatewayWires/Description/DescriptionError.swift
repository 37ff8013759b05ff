package import GatewayJSON

/// A mistake in a description, where it is, and what would be right: `centrifugo.json:21:5 /hear/1/when/json: 'type' is
/// no JSON pointer; a pointer as "/type", or "" for the whole message`, for instance.
package struct DescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
  package let file: String
  package let place: TextPlace
  /// A JSON pointer (RFC 6901) to the value that is wrong; empty for the whole description.
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
