internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

/// A reader of HTTP Basic credentials.
enum StreemRequest {
  /// Returns user name and password of HTTP Basic (RFC 7617 section 2).
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
