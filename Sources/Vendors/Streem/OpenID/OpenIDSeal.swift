internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens
internal import Synchronization

/// A seal for authorization requests on the login page. The page's form contains the signed request, so the provider
/// stores nothing for logins that never finish, and requests for pages fill no memory.
///
/// The content comes from the browser, so it is not hidden from it. The store keeps the key, so every process of the store
/// accepts a page.
final class OpenIDSeal: Sendable {
  private let made: [UInt8]
  private let kept: Mutex<[UInt8]>
  private static let keptName = "streem.oidc.seal"

  init(_ secrets: Secrets) {
    made = secrets.bytes(32)
    kept = Mutex(made)
  }

  private var key: [UInt8] { kept.withLock { $0 } }

  /// Seals and opens with the store's key from here on, which is this one's if the store has none.
  func keepKey(in store: any Store, at now: WallTime) async throws(GatewayError) {
    let key = try await StoredSecret.bytes(Self.keptName, in: store, at: now) { [made] in made }
    kept.withLock { $0 = key }
  }

  /// Returns the request as text for a form field, valid until `end`; nil if it is too long for one.
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

  /// Returns the sealed request; nil if this provider did not seal it, or it has expired.
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
