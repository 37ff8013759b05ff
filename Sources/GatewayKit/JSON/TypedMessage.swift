package import GatewayCore
internal import GatewayJSON

/// A text message that is one JSON object with a member for its type, e.g. `{"type":"ping"}`.
///
/// It keeps a pointer to the bytes that it was read from, so it must not outlive them.
package struct TypedMessage {
  package let type: String
  package let object: JSONObject

  /// Reads the message, whose type is the string `member`. Throws the error to answer if the message has another form.
  /// Rejects integers that don't fit into 64 bits unless `integersOfAnySize`.
  package init(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, member: StaticString = "type",
    integersOfAnySize: Bool = false
  ) throws(GatewayError) {
    guard kind == .text else { throw .unsupportedData }
    do throws(JSONError) {
      object = try JSONObject(payload, integersOfAnySize: integersOfAnySize)
    } catch {
      throw .malformedMessage.detailed(error.description)
    }
    guard let type = try? object.string(member) else { throw .malformedMessage }
    self.type = type
  }

  /// Returns the request's name from the member `id`; nil if the client sent none.
  package func request() throws(GatewayError) -> RequestID? {
    try object.string("id", bytes: 1...RequestID.lengthMax).map { RequestID($0) }
  }
}
