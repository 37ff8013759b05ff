import GatewayCore
import GatewayKit

/// An origin of `--origin` in the form of the Origin header (RFC 6454 section 6.2), or `null`.
///
/// Scheme and host are in lower case, the port is omitted if it is the scheme's default, and nothing follows. Any other form
/// would match no browser.
enum AllowedOrigin {
  static func read(_ value: Arguments.Value) throws -> String {
    guard isOrigin(value.text) else {
      throw UsageError(
        value.source, value: value.text,
        expected: "an origin as browsers send it, as https://app.example or http://localhost:3000")
    }
    return value.text
  }

  private static func isOrigin(_ text: String) -> Bool {
    if text == "null" { return true }
    guard text.allSatisfy({ $0.isASCII && !$0.isUppercase }), let colon = text.firstIndex(of: ":")
    else { return false }
    let (scheme, rest) = (text[..<colon], text[colon...])
    guard scheme.first?.isLetter == true,
      scheme.allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) }),
      rest.hasPrefix("://"), let authority = Authority(rest.dropFirst(3)), rest.last != ":",
      authority.host.allSatisfy({ $0.isLetter || $0.isNumber || "-._:".contains($0) })
    else { return false }
    let usual = ["http": 80, "https": 443][String(scheme)]
    return authority.port == nil || authority.port != usual
  }
}
