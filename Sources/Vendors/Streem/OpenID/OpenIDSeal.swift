internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The seal under which an authorization request goes through the login page. The page's form holds it, signed, so that
/// the provider keeps nothing of a login that may never come, and nobody fills its memory by asking for pages; a
/// changed redirect address breaks it, for instance.
///
/// What is in it came from the browser, so it is not hidden from it. The key is of this process: a page outlives no
/// restart.
struct OpenIDSeal: Sendable {
  private let key: [UInt8]

  init(_ secrets: Secrets) {
    key = secrets.bytes(32)
  }

  /// The request as text of a form's field, good until `end`; nil if it is longer than a form's field may be.
  func seal(_ request: OpenIDAuthorization, until end: WallTime) -> String? {
    let content = JSONWriter.object(capacity: 1024) { json in
      json.member("company", request.company.text)
      json.member("client", request.client.text)
      json.member("redirect", request.answer.redirect.text)
      json.member("issuer", request.answer.issuer)
      json.member("scopes", strings: request.scopes.lazy.map(\.text))
      json.member("challenge", request.challenge)
      if let state = request.answer.state { json.member("state", state) }
      if let nonce = request.nonce { json.member("nonce", nonce) }
      if let hint = request.loginHint { json.member("hint", hint) }
      json.member("end", end.nanoseconds)
    }
    let text = Base64URL.encode(content)
    let sealed = text + "." + Base64URL.encode(HMACSHA256.code(key: key, text.utf8))
    return sealed.utf8.count <= OpenIDParameters.valueBytesMax ? sealed : nil
  }

  /// The request in such a text; nil if this provider has not sealed it, or its time is over.
  func open(_ sealed: String, at now: WallTime) -> OpenIDAuthorization? {
    let parts = sealed.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2, let code = Base64URL.decode(String(Substring(parts[1]))),
      ConstantTime.areEqual(HMACSHA256.code(key: key, parts[0]), code),
      let content = Base64URL.decode(String(Substring(parts[0]))),
      let json = try? JSONDocument.parse(content).root,
      let end = json["end"]?.integer, now < WallTime(nanoseconds: end)
    else { return nil }
    return OpenIDAuthorization(sealed: json)
  }
}
