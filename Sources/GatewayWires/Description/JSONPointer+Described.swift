package import GatewayJSON

extension JSONPointer {
  /// Reads the pointer in a value of a description.
  package init(_ described: Described) throws(DescriptionError) {
    try self.init(described.text(), at: described)
  }

  /// Reads the pointer in a part of a description's value.
  package init(_ text: String, at described: Described) throws(DescriptionError) {
    guard let pointer = Self(text) else {
      let hint =
        text.contains("~") ? "~ stands as ~0, / as ~1" : "a pointer as \"/\(text)\", or \"\" for the whole message"
      throw described.error("'\(text)' is no JSON pointer; \(hint)")
    }
    self = pointer
  }
}
