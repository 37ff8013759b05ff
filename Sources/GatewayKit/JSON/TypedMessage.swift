package import GatewayCore
internal import GatewayJSON

/// A text message that is one JSON object, one member of which says what it is: `{"type":"ping"}`, for instance.
///
/// Holds on to the bytes it was read from, so it must not outlive them.
package struct TypedMessage {
  package let type: String
  package let object: JSONObject

  /// Reads the message, whose member of that name says what it is; throws what to answer to one of another form. Whole
  /// numbers that 64 bits do not hold are refused unless `integersOfAnySize`.
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

  /// The name that the client gave it in the member `id`; nil if it gave none.
  package func request() throws(GatewayError) -> RequestID? {
    try object.string("id", bytes: 1...RequestID.lengthMax).map { RequestID($0) }
  }
}
