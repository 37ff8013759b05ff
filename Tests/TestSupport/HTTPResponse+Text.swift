package import GatewayCore
internal import GatewayJSON

extension HTTPResponse {
  /// The body as text.
  package var text: String { String(decoding: body, as: UTF8.self) }

  /// Returns the value of a member of the object in the body, as text; nil if there is none.
  package func member(_ name: String) -> String? {
    guard let value = try? JSONDocument.parse(body).root[member: name] else { return nil }
    return value.string ?? value.text
  }
}
