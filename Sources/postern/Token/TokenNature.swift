import GatewayJSON
import GatewayStream
import GatewayTokens

/// What a token is, as far as its form says without a key.
enum TokenNature {
  private static let accessTokenDigits = 40
  private static let sessionKeyDigits = 48

  /// What a token that says nothing itself may be; nil if it has no such form.
  static func ofOpaque(_ token: String) -> String? {
    let halves = token.split(separator: ":", omittingEmptySubsequences: false).map { Base64.decode(String($0)) }
    if halves.count == 2, let json = halves[0], let code = halves[1], code.count == HMACSHA256.size,
      let said = try? JSONDocument.parse(json).root.text
    {
      return "a Sinch user ticket, by its form: \(said)"
    }
    guard !token.isEmpty, token.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
    switch token.utf8.count {
    case accessTokenDigits: return "a Sendbird access token, by its form: only the application that issued it knows it"
    case sessionKeyDigits: return "a Sendbird session key, by its form: only the gateway that handed it out knows it"
    default: return nil
    }
  }

  /// What a JWT is by the names of its claims.
  static func of(_ decoded: UnverifiedToken, token: String) -> String {
    let claims = decoded.payload
    if token.hasSuffix("." + StreamToken.developmentSignature) { return "a Stream development token: nobody signed it" }
    if claims["v"] != nil, claims["u"] != nil, claims["e"] != nil { return "a Sendbird session token" }
    if decoded.header["kid"]?.string?.utf8.starts(with: "hkdfv1-".utf8) == true { return "a Sinch registration token" }
    if claims["session_exp"] != nil { return "a Streem Token" }
    if claims["server"]?.bool == true { return "a Stream server token" }
    if claims.count == 0 { return "a Stream server token without claims, as the Python SDK writes it" }
    if claims["call_cids"] != nil { return "a call token, of Stream or the plain scheme" }
    if claims["kind"] != nil { return "a token of the plain scheme" }
    if claims["user_id"] != nil { return "a user's token, of Stream or the plain scheme" }
    return "a JWT of none of the schemes"
  }
}
