internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// What every request of Streem's is read by: its body as a JSON object, and who asks by HTTP Basic.
enum StreemRequest {
  /// What `read` makes of a body, which must be a JSON object, or may be absent where everything in it is optional.
  static func read<Content>(
    _ body: [UInt8], isOptional: Bool = false, _ read: (JSONObject) throws(GatewayError) -> Content
  ) throws(GatewayError) -> Content {
    let bytes = isOptional && body.isEmpty ? Array("{}".utf8) : body
    return try bytes.span.bytes.withUnsafeBytes { (bytes) throws(GatewayError) in
      let object: JSONObject
      do throws(JSONError) {
        object = try JSONObject(bytes)
      } catch {
        throw .malformedRequest.detailed("the body must be a JSON object; it is \(error)")
      }
      return try read(object)
    }
  }

  /// User name and password of HTTP Basic (RFC 7617 section 2).
  static func basic(_ request: HTTPRequest) -> (id: String, secret: Substring)? {
    guard let value = request.header("authorization") else { return nil }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "basic",
      let bytes = Base64.decode(String(parts[1].drop { $0 == " " })),
      let text = String(validating: bytes, as: UTF8.self), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    return (String(text[..<colon]), text[text.utf8.index(after: colon)...])
  }
}
